"""Accidents in a shared folder: deleted, copied and cloned device folders, and name collisions."""

import os
import shutil
import time

import side as sides
from writers import ANNA, BEN


def deleted_folder(play, number):
    """A user deletes a device's folder; the device returns later."""
    device = f"dora-{number}"
    dora = play.writer(play.there, device)
    for step in [dora.set_own, dora.batch, dora.add_entity]:
        step()
    play.agree("a third device")
    play.devices.remove(dora)
    play.delete(play.here.file("Devices", device), play.there.file("Devices", device))
    play.agree("deleting a device's folder",
               lambda: not any(side.has_files_of(device) for side in play.pair))
    again = play.writer(play.there, device)
    again.set_own()
    again.add_entity()
    play.agree("a device that comes back")


def copied_folder(play, number):
    """A device's folder is copied, once under the name of a copy and once under another name."""
    copies = [f"{BEN} copy", f"new phone {number}"]
    before = [play.answers(side) for side in play.pair]
    with play.person():
        for copy in copies:
            # A carrier may leave an empty folder after a deletion.
            shutil.copytree(play.there.file("Devices", BEN), play.there.file("Devices", copy),
                            dirs_exist_ok=True)
    play.agree("a copy of a device's folder")
    for side, known in zip(play.pair, before):
        if play.answers(side) != known:
            play.fault(f"{side.name}: a copy of a device's folder was read as data")
        problems = side.problems()
        for copy in copies:
            if not any(copy in problem for problem in problems):
                play.fault(f"{side.name}: info does not name the copied folder {copy}")
    for copy in copies:
        play.delete(play.here.file("Devices", copy), play.there.file("Devices", copy))
    play.agree("deleting the copies")


def two_of_one_device(play, number):
    """A machine was cloned: one device writes on both sides, which violates the main rule.

    At most one version of its files stays. The others are conflict copies that `info` names, or
    versions that the carrier keeps elsewhere; the user merges their rows.
    """
    device = f"carol-{number}"
    carol = play.writer(play.here, device)
    # rsync doesn't know whose files these are: within a second an older copy could return.
    with play.person():
        carol.set_own()
        carol.add_entity()
    play.agree("a device before it is cloned")
    play.carrier.disconnect()
    clone = play.writer(play.there, device)
    clone.count = 1000
    for index in range(4):
        carol.set(f"cloned/{number}/here/{index}")
        clone.set(f"cloned/{number}/there/{index}")
    carol.add_entity()
    time.sleep(1.1)  # so that one is newer, for carriers whose times are whole seconds
    clone.set(f"cloned/{number}/there/last")
    clone.add_entity()
    play.devices.remove(carol)
    play.devices.remove(clone)
    play.carrier.connect()
    play.agree("one device on both sides")
    folder = play.here.file("Devices", device)
    left = [name for name in os.listdir(folder) if not sides.OWN_FILES.fullmatch(name)]
    if play.carrier.leaves_copies and not left:
        play.fault(f"{play.carrier.name} left no conflict copy of a log")
    for side in play.pair:
        problems = side.problems()
        for name in left:
            if not any(name in problem for problem in problems):
                play.fault(f"{side.name}: info does not name {name}")
    with play.person():
        for copy in versions(play, device, "Logs"):
            play.here.tell(ANNA, "merge", play.here.path, copy)
        for copy in versions(play, device, "Entities"):
            with open(f"{play.scratch}/entities.json", "wb") as file:
                file.write(play.here.read("entities", "export", copy))
            play.here.tell(ANNA, "entities", "import", play.here.path, file.name)
        for name in left:
            os.remove(os.path.join(folder, name))
    play.agree("merging what the clone wrote")
    answers = play.answers(play.here)
    rows = {(row["key"], row["value"]) for row in sides.objects(answers["log"])}
    gone = [row for row in carol.rows + clone.rows if row not in rows]
    if gone:
        play.fault(f"{len(gone)} rows of the cloned device are gone after the merge, the "
                   f"first {gone[0]!r}")
    entities = {entity["identifier"] for entity in sides.objects(answers["entities list"])}
    gone = (carol.entities_ever | clone.entities_ever) - entities
    if gone:
        play.fault(f"the cloned device's entities {sorted(gone)!r} are gone after the import")


def versions(play, device, stem):
    """The other versions of a device's file: next to it, and where the carrier keeps them."""
    found = []
    for folder in [play.here.file("Devices", device), *play.carrier.kept()]:
        for base, _, names_here in os.walk(folder):
            if base.endswith(f"Devices/{device}"):
                found += [os.path.join(base, name) for name in sorted(names_here)
                          if stem in name and "journal" not in name
                          # A version from the moment the file was created is empty.
                          and os.path.getsize(os.path.join(base, name)) > 0
                          and (base != folder or not sides.OWN_FILES.fullmatch(name))]
    if not found:
        play.fault(f"{play.carrier.name} kept no other version of {stem}.db")
    return found


def two_blobs_of_one_name(play, number):
    """A blob has no history: one version stays, and the other is a copy that `info` names."""
    play.carrier.disconnect()
    folder = f"shared {number}"
    for side, device in zip(play.pair, [ANNA, BEN]):
        with open(f"{play.scratch}/board.txt", "w") as file:
            file.write(f"the board of {device}")
        side.tell(device, "blobs", "put", side.path, folder + "/board.txt",
                  f"{play.scratch}/board.txt")
        time.sleep(1.1)
    play.carrier.connect()
    play.agree("two blobs of one name")
    left = [name for name in os.listdir(play.here.file("Blobs", folder)) if name != "board.txt"]
    if play.carrier.leaves_copies and not left:
        play.fault(f"{play.carrier.name} left no conflict copy of a blob")
    for side in play.pair:
        listed = {blob["blob"] for blob in side.lines("blobs", "list", side.path, "--json")}
        problems = side.problems()
        for name in left:
            if f"{folder}/{name}" in listed:
                play.fault(f"{side.name}: the conflict copy {name} is listed as a blob")
            if not any(name in problem for problem in problems):
                play.fault(f"{side.name}: info does not name {name}")


ALL = [deleted_folder, copied_folder, two_of_one_device, two_blobs_of_one_name]
