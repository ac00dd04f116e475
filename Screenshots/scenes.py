"""The scenes of the pictures: the keys to press after a demo store was opened.

A step is a key with tmux's name, a command of the program as a tuple, or `...`, which adds the screen
to the frames of an animated picture.
"""
import sqlite3
from dataclasses import dataclass
from typing import Callable


@dataclass
class Scene:
    name: str
    steps: list
    size: tuple = (120, 32)
    # The arguments of the program.
    words: tuple = ("Notes.store",)
    # Creates additional files to open, in a folder.
    prepare: Callable = lambda folder: None
    # The terminal's text color and background color, for texts without a color of the program.
    colours: tuple = ("#d8dee9", "#10151c")

    @property
    def moves(self):
        return ... in self.steps


def library(folder):
    """Creates a small database, as another program could write it."""
    base = sqlite3.connect(folder + "/library.db")
    base.executescript("""
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES author(id),
            pages INTEGER, lent INTEGER, tags TEXT, cover BLOB);
        CREATE INDEX book_by_author ON book(author);
        CREATE VIEW long_books AS SELECT * FROM book WHERE pages > 400;
        """)
    authors = [("Fernando Pessoa", 1888), ("Clarice Lispector", 1920), ("Yasunari Kawabata", 1899),
               ("Tove Jansson", 1914), ("Olga Tokarczuk", 1962)]
    base.executemany("INSERT INTO author (name, born) VALUES (?, ?)", authors)
    titles = ["Message", "The Hour of the Star", "The Old Capital", "The Summer Book", "Flights",
              "The Book of Disquiet", "Near to the Wild Heart", "Snow Country", "Fair Play",
              "The Books of Jacob", "The Anarchist Banker", "Agua Viva", "Thousand Cranes",
              "The True Deceiver", "Primeval and Other Times"]
    for number, title in enumerate(titles):
        base.execute(
            "INSERT INTO book (title, author, pages, lent, tags, cover) VALUES (?, ?, ?, ?, ?, ?)",
            (title, number % 5 + 1, 120 + number * 53 % 800,
             None if number % 3 else 1_790_000_000 + number * 86_400,
             '["novel","%s"]' % ("lent" if number % 3 == 0 else "shelf"),
             b"\x89PNG\r\n\x1a\n" + bytes(400) if number % 4 == 0 else None))
    base.commit()
    base.close()


def said(device, key, value, *options):
    return ("kv", "set", "Notes.store", key, value, "--device", device, *options)


ALL = [
    Scene("conflict", ["w", "c", "c", "Enter"]),
    Scene("time", ["/", "note/1/ti", "Enter", "t", "Left", "Left"]),
    Scene("feed", [
        "E",
        said("ben-phone", "list/groceries/9", "candles"),
        said("kitchen-tablet", "note/3/title", "Radiator, ask Nils"),
        said("ben-phone", "note/1/title", "Groceries for two"),
        ("kv", "unset", "Notes.store", "photo/3", "--device", "kitchen-tablet")]),
    Scene("entities", ["4", "/", "Old Capital", "Enter"], size=(160, 34)),
    Scene("servers", [":", "pane servers", "Enter", "/", "Germany", "Enter", "Enter", "j", "j"]),
    Scene("documents", ["6", "j", "Enter", "j", "j"], size=(160, 30)),
    Scene("tables", ["j", "Enter", "j"], words=("library.db",), prepare=library, size=(150, 28)),
    Scene("light", ["c"], words=("Notes.store", "--theme", "tide-light"),
          colours=("#24292f", "#ffffff")),
    Scene("resolving", [..., "w", "c", "c", ..., "Enter", ..., "p", ..., "y"],
          size=(110, 32)),
]
