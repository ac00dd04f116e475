"""Converts a terminal screen, captured by tmux with its colors, to SVG."""

import html
import re
import unicodedata

BASIC = ["#2b303b", "#d0606b", "#7fb069", "#d7ba7d", "#6296d0", "#b083c9", "#5fb3b3", "#c5cad3",
         "#65737e", "#ef7a85", "#99d580", "#f0d49a", "#82b6f0", "#cfa0e8", "#7fd3d3", "#ffffff"]
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.43, 16, 14, 12
FRAME_SECONDS = 3


def palette(index):
    if index < 16:
        return BASIC[index]
    if index < 232:
        levels = [0, 95, 135, 175, 215, 255]
        index -= 16
        return "#%02x%02x%02x" % (levels[index // 36], levels[index // 6 % 6], levels[index % 6])
    return "#" + ("%02x" % (8 + 10 * (index - 232))) * 3


class Style:
    """The look of the characters that follow: colors and attributes."""

    def __init__(self, front, back):
        self.front, self.back = front, back
        self.reset()

    def reset(self):
        self.foreground = self.background = None
        self.bold = self.dim = self.reverse = self.underline = False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.replace(":", ";").split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (24, 27):
                setattr(self, {24: "underline", 27: "reverse"}[code], False)
            elif code in (38, 48):
                name = "foreground" if code == 38 else "background"
                kind = codes.pop(0)
                if kind == 5:
                    setattr(self, name, palette(codes.pop(0)))
                else:
                    setattr(self, name, "#%02x%02x%02x" % tuple(codes[:3]))
                    del codes[:3]
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.foreground = palette(code - 30 if code < 90 else code - 82)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.background = palette(code - 40 if code < 100 else code - 92)
            elif code == 39:
                self.foreground = None
            elif code == 49:
                self.background = None

    def colours(self):
        front, back = self.foreground or self.front, self.background or self.back
        return (back, front) if self.reverse else (front, back)


def cells(line, style):
    for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
            continue
        for character in part:
            wide = unicodedata.east_asian_width(character) in "WF"
            yield character, 0 if unicodedata.combining(character) else 1 + wide


def drawn(screen, colours):
    """Returns the boxes and the texts of a screen."""
    boxes, texts, style = [], [], Style(*colours)
    for row, line in enumerate(screen.split("\n")):
        column, runs = 0, []
        for character, cell_width in cells(line, style):
            look = (*style.colours(), style.bold, style.dim, style.underline)
            if runs and runs[-1][2] == look and cell_width == 1 and runs[-1][4]:
                runs[-1][1].append(character)
                runs[-1][3] += cell_width
            else:
                runs.append([column, [character], look, cell_width, cell_width == 1])
            column += cell_width
        for start, characters, (front, back, bold, dim, underline), length, _ in runs:
            x, y = MARGIN + start * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
            if back != colours[1]:
                boxes.append(f'<rect x="{x:.1f}" y="{y}" width="{length * CELL_WIDTH:.1f}" '
                             f'height="{CELL_HEIGHT}" fill="{back}"/>')
            text = "".join(characters)
            if text.strip():
                attributes = f' fill="{front}"' + (' font-weight="bold"' if bold else "")
                attributes += ' opacity="0.6"' if dim else ""
                attributes += ' text-decoration="underline"' if underline else ""
                texts.append(f'<text x="{x:.1f}" y="{y + 12.5}" textLength="'
                             f'{length * CELL_WIDTH:.1f}"{attributes}>{html.escape(text)}</text>')
    return boxes + texts


def svg(frames, size, colours):
    """Returns the picture of a screen. For several screens, the picture is animated and repeats."""
    width = size[0] * CELL_WIDTH + 2 * MARGIN
    height = size[1] * CELL_HEIGHT + 2 * MARGIN
    parts = []
    if len(frames) == 1:
        parts += drawn(frames[0], colours)
    else:
        seconds = FRAME_SECONDS * len(frames)
        share = 100 / len(frames)
        parts.append(
            "<style>g { visibility: hidden; animation: shown "
            f"{seconds}s step-end infinite; }} @keyframes shown {{ 0% {{ visibility: visible; }} "
            f"{share:.3f}% {{ visibility: hidden; }} }}</style>")
        for number, frame in enumerate(frames):
            parts.append(f'<g style="animation-delay: {number * FRAME_SECONDS}s">')
            parts += drawn(frame, colours)
            parts.append("</g>")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" xml:space="preserve" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}">',
        f'<rect width="100%" height="100%" rx="8" fill="{colours[1]}"/>', *parts, "</svg>\n"])
