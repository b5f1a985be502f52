"""How well one colour can be read on another."""


def contrast(colour, other):
    """WCAG 2's contrast, 1 to 21, of two colours: (red, green, blue), 0 to 255 each."""

    def luminance(parts):
        scaled = [part / 255 for part in parts]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in scaled]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(colour), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
