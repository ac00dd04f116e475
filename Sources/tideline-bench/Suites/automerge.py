import sys, time
from automerge import core

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def read(data, reads_text):
    document = core.Document.load(data)
    if reads_text:
        document.text(document.get(core.ROOT, "text")[1])
    return document

reads_text = sys.argv[2] == "text"
files = []
for path in sys.argv[3:]:
    with open(path, "rb") as file:
        files.append(file.read())
before = resident()
documents = [read(data, reads_text) for data in files]
memory = resident() - before
documents = []
times = []
for _ in range(int(sys.argv[1])):
    start = time.process_time()
    for data in files:
        read(data, reads_text)
    times.append(time.process_time() - start)
print(sorted(times)[(len(times) - 1) // 2], memory / 1e6)
