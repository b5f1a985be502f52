"""The two ways from a .cu file to an object file: what nvcc runs for the host and the device."""

from docs.figures.shapes import A, B, C, Picture

LEFT, HEIGHT = 24, 44
HOST = (("preprocess", 110), ("cudafe++", 110), ("host code", 130), ("g++", 90))
DEVICE = (("preprocess", 110), ("cicc", 80), (".ptx", 80), ("ptxas", 80), (".cubin", 90))


def draw_path(picture, x, y, steps, color):
    """Boxes from left to right with arrows between them; returns where the last one ends."""
    for i, (words, width) in enumerate(steps):
        if i:
            picture.arrow([(x - 26, y + HEIGHT / 2), (x - 3, y + HEIGHT / 2)])
        made = words.startswith(".") or words == "host code"
        picture.cell(x, y, width, HEIGHT, "soft-fill" if made else f"f{color} tint", words)
        x += width + 29
    return x - 29


def draw():
    """Preprocessed twice, compiled by two compilers, packed into one object."""
    picture = Picture(
        "nvcc_paths",
        330,
        "One .cu file goes two ways",
        "coloured: a program that nvcc runs; grey: what it makes",
        "The host compilation preprocesses the file, takes the device functions out with "
        "cudafe++, and compiles the rest with g++. The device compilation preprocesses it again, "
        "compiles device functions to PTX with cicc and PTX to machine code with ptxas. fatbinary "
        "packs PTX and machine code, and g++ puts them into the object file.",
    )
    host, device = 110, 230
    picture.cell(LEFT, 170, 90, HEIGHT, "soft-fill", "file.cu")
    x = LEFT + 90 + 40
    picture.text(x, host - 12, "host compilation", f"strong f{A}")
    picture.text(x, device - 12, "device compilation", f"strong f{B}")
    for y in (host, device):
        middle = y + HEIGHT / 2
        picture.arrow([(LEFT + 90, 192), (LEFT + 112, 192), (LEFT + 112, middle), (x - 3, middle)])
    end = draw_path(picture, x, host, HOST, A)
    last = draw_path(picture, x, device, DEVICE, B)
    fat = last + 29
    picture.arrow([(last + 3, device + HEIGHT / 2), (fat - 3, device + HEIGHT / 2)])
    picture.cell(fat, device, 110, HEIGHT, f"f{C} tint", "fatbinary")
    gcc = end - 45
    rise = (host + device + HEIGHT) / 2
    picture.arrow([(fat + 55, device), (fat + 55, rise), (gcc, rise), (gcc, host + HEIGHT + 3)])
    picture.text(gcc + 12, rise - 8, "as an array of bytes", "soft")
    picture.arrow([(end + 3, host + HEIGHT / 2), (end + 37, host + HEIGHT / 2)])
    picture.cell(end + 40, host, 90, HEIGHT, "soft-fill", "file.o")
    return picture
