"""Unison, run again and again: of two versions the newer one stands, the other is kept."""

import os

import carrier


class Unison(carrier.Rounds):
    name = "unison"
    programs = ["unison"]
    # It sets times as floating-point seconds, which may be a microsecond less.
    carries_times = False
    # The second are versions, which stand in a folder that is being deleted for a moment.
    names = [r"\.unison\..+\.unison\.tmp", r"\.bak\.\d+\..+"]

    def begin(self):
        self.environment["UNISON"] = self.home + "/unison"
        os.makedirs(self.environment["UNISON"], exist_ok=True)

    def round(self):
        # 1: a file was skipped, for example because it changed during the run; 2: a file failed.
        self.expect(
            ["unison", *self.sides, "-batch", "-ui", "text", "-auto", "-times", "-perms", "0",
             # Without it a file that was written twice in a second is taken for unchanged.
             "-fastcheck", "false",
             "-prefer", "newer", "-confirmbigdel=false", "-log=false", "-silent",
             "-backuploc", "central", "-backupdir", self.home + "/versions",
             "-backup", "Name *"], allowed=(0, 1, 2))

    def kept(self):
        return [self.home + "/versions"]
