import sys,tempfile,pathlib,concurrent.futures as c
from tests.classroom import oddities as o
from classroom import grade as g
def one(x):
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room, "work dir", "02_coalesced"); folder.mkdir(parents=True)
        for n,b in x.files().items(): (folder/n).write_bytes(b)
        try: r=g.grade(folder,2,b"x")
        except Exception as e: return x.name, repr(e)
        return x.name, r["score"], r["flags"], [t["message"] for p in r["parts"] for t in p["tests"] if t["message"]][:2], [p["message"] for p in r["parts"]][:1]
def together():
    e=tuple(x for y in o.TOGETHER for x in y.edits)
    # inserting edits: several at the same text: apply one after the other
    return o.Oddity("together", e)
if __name__=="__main__":
    want=sys.argv[1:]
    xs=[x for x in (*o.APART,*o.TOLD,*( o.TOGETHER)) if not want or x.name in want]
    if not want: xs.append(together())
    with c.ThreadPoolExecutor(2) as p:
        for r in p.map(one,xs): print(*r,flush=True)
