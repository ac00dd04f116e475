import json, sys, time
import loro
edits = [(e[0], e[1], "".join(e[2:])) for e in json.load(open(sys.argv[1]))]
times = []
for _ in range(int(sys.argv[2])):
    document = loro.LoroDoc()
    text = document.get_text("text")
    start = time.perf_counter()
    for position, deleted, inserted in edits:
        if deleted:
            text.delete(position, deleted)
        if inserted:
            text.insert(position, inserted)
    document.commit()
    times.append(time.perf_counter() - start)
print(sorted(times)[(len(times) - 1) // 2])
