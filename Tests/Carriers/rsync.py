"""rsync in both directions, repeatedly: each side sends the files that its devices write.

`rsync -u` in both directions isn't enough. It compares whole seconds, so an older copy of a log can
replace one written in the same second; with `--modify-window=-1` it is two seconds.
"""

import os

import carrier


class Rsync(carrier.Rounds):
    name = "rsync"
    programs = ["rsync"]
    carries_deletions = False
    # `.NAME.XXXXXX` while it writes.
    names = [r"\..+\.[A-Za-z0-9]{6}"]

    def round(self):
        for number in range(2):
            source, target = self.sides[number], self.sides[1 - number]
            words = ["rsync", "-rlt", "--backup", f"--backup-dir={self.versions(target)}"]
            own, other = self.owned[number], self.owned[1 - number]
            self.carry(words + ["--modify-window=-1"] + self.filters("include", own)
                       + ["--include=/Devices/", "--include=/Blobs/", "--exclude=*"],
                       source, target)
            # Files that both sides write: the newer one wins, by whole seconds. Within one second the
            # checksum detects a difference, and the first side wins.
            self.carry(words + ["--update", "--checksum"] + self.filters("exclude", own + other),
                       source, target)

    def filters(self, kind, devices):
        inner = "/***" if kind == "include" else "/"
        return [f"--{kind}=/{folder}/{device}{inner}"
                for folder in ["Devices", "Blobs"] for device in devices]

    def carry(self, words, source, target):
        # 23 and 24: a file disappeared after it was listed.
        self.expect([*words, source + "/", target + "/"], allowed=(0, 23, 24))

    def versions(self, target):
        return os.path.join(self.home, "versions-" + os.path.basename(os.path.dirname(target)))

    def kept(self):
        return [self.versions(side) for side in self.sides]
