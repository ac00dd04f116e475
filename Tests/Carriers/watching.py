"""`tideline watch` while files are carried, and the changes that it reported."""

import json
import signal

import processes


class Watch:
    """The command on one side, running until it is stopped."""

    def __init__(self, side, log):
        self.side = side
        self.path = log
        self.output = open(log, "wb")
        self.group = processes.Group(
            [side.tideline, "watch", side.path, "--json"],
            dict(side.environment, TIDELINE_DEVICE="reader"), log + ".errors", self.output)

    def events(self):
        found = []
        with open(self.path, "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    found.append(json.loads(line))
        return found

    @property
    def is_ready(self):
        return any(event["event"] == "loaded" for event in self.events())

    def seen(self, store):
        """The items that it named in a store: device and key, device and entity, or blob."""
        found = set()
        for event in self.events():
            if event["store"] != store:
                continue
            if event["event"] == "blob":
                found.add(event["blob"])
            elif event["event"] == "synced":
                found.update((event["device"], key) for key in event["keys"])
        return found

    def end(self):
        if not self.group.runs:
            self.side.faults.append(
                f"{self.side.name}: watch ended by itself with {self.group.process.returncode}")
        self.group.end(signal.SIGINT)
        self.output.close()
