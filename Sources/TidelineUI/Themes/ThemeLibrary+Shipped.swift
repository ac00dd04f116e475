// swift-format-ignore-file
// Written by ShippedThemesTests from the folder Themes.

extension ThemeLibrary {
    /// The themes that come with the program, by name: the files of the folder Themes, so that
    /// the program needs no files beside it.
    static let shipped: [String: String] = [
        "deuteranopia": #"""
            # For people who cannot tell red from green: blue against orange and yellow, and lightness.
            name: deuteranopia
            appearance: dark
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              key: {rgb: "#56b4e9", c256: 74, c16: bright-cyan}
              string: {rgb: "#d9d9d9", c256: 253, c16: white}
              number: {rgb: "#f0e442", c256: 227, c16: bright-yellow}
              boolean: {rgb: "#cc79a7", c256: 175, c16: magenta}
              date: {rgb: "#f0e442", c256: 227, c16: bright-yellow}
              data: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              collection: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#56b4e9", c256: 74, c16: cyan}
              timestamp: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              winner: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold], mark: "★", ascii: "*"}
              loser: {rgb: "#8a94a6", c256: 245, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold], mark: "≠",
                ascii: "!"}
              problem: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [bold], monochrome: [reverse]}
              dim: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              link: {rgb: "#87afff", c256: 111, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, monochrome: [bold], mark: "+"}
              removed: {rgb: "#e69f00", c256: 214, c16: yellow, monochrome: [dim], mark: "-"}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#2a3242", c256: 236, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#2a3242", c256: 236, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              keyName: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              border: {rgb: "#4a5568", c256: 240, c16: bright-black}
              focusedBorder: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              focusedRegionTitle: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              activeTab: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold],
                monochrome: [reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold, reverse], mark: "●",
                ascii: "*"}
              badgeReadOnly: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold]}
              badgePast: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold], mark: "!"}
              notice: {rgb: "#3d9be0", c256: 74, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#1f3f66", c256: 24, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold],
                mark: "≠", ascii: "!"}
              gutterGone: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#f0e442",
                c256: 227, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [underline]}
              prompt: {rgb: "#3d9be0", c256: 74, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [dim]}
              menu: {background: {rgb: "#2a3242", c256: 236, c16: black}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#4a5568", c256: 240, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#3d9be0", c256: 74, c16: bright-blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#3d9be0", c256: 74, c16: bright-blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, mark: "●", ascii: "1"}
              device2: {rgb: "#e69f00", c256: 214, c16: yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#f0e442", c256: 227, c16: bright-yellow, mark: "▲", ascii: "3"}
              device4: {rgb: "#0072b2", c256: 25, c16: blue, mark: "◆", ascii: "4"}
              device5: {rgb: "#d9d9d9", c256: 253, c16: white, mark: "○", ascii: "5"}
              device6: {rgb: "#cc79a7", c256: 175, c16: magenta, mark: "□", ascii: "6"}

            """#,
        "high-contrast": #"""
            # For weak sight and bright rooms: white on black, meaning in bold, reverse, underline and signs
            # first, in few strong colours second.
            name: high-contrast
            appearance: dark
            foreground: {rgb: "#ffffff", c256: 231, c16: bright-white}
            background: {rgb: "#000000", c256: 16, c16: black}
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {}
              key: {attributes: [bold]}
              string: {}
              number: {}
              boolean: {}
              date: {rgb: "#ffff00", c256: 226, c16: bright-yellow}
              data: {}
              collection: {mark: "▸", ascii: "+"}
              deletion: {attributes: [italic], mark: "∅", ascii: "0"}
              device: {rgb: "#00ffff", c256: 51, c16: bright-cyan}
              timestamp: {}
              winner: {rgb: "#00ff00", c256: 46, c16: bright-green, attributes: [bold], mark: "★", ascii: "*"}
              loser: {monochrome: [dim]}
              conflict: {rgb: "#ff80ff", c256: 213, c16: bright-magenta, attributes: [bold, underline],
                mark: "≠", ascii: "!"}
              problem: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {attributes: [bold], monochrome: [reverse]}
              dim: {}
              link: {rgb: "#80c0ff", c256: 117, c16: bright-cyan, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#00ff00", c256: 46, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff8080", c256: 210, c16: bright-red, monochrome: [dim], mark: "-"}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {attributes: [underline, bold], mark: "›", ascii: ">"}
              marked: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold], mark: "•", ascii: "*"}
              header: {attributes: [bold, reverse]}
              columnHeader: {attributes: [bold]}
              footer: {}
              keyName: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold]}
              keyAction: {}
              border: {}
              focusedBorder: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold]}
              regionTitle: {}
              focusedRegionTitle: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold]}
              tab: {}
              activeTab: {attributes: [bold, reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold, reverse],
                mark: "●", ascii: "*"}
              badgeReadOnly: {rgb: "#00ff00", c256: 46, c16: bright-green, attributes: [bold]}
              badgePast: {rgb: "#ffff00", c256: 226, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#00ff00", c256: 46, c16: bright-green, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#ffff00", c256: 226, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold, reverse], mark: "✗",
                ascii: "x"}
              warning: {rgb: "#ffff00", c256: 226, c16: bright-yellow, attributes: [bold, reverse], mark: "!"}
              notice: {rgb: "#00ffff", c256: 51, c16: bright-cyan, mark: "·", ascii: "."}
              flash: {attributes: [bold, underline]}
              gutterNew: {rgb: "#00ff00", c256: 46, c16: bright-green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#ffff00", c256: 226, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#ff80ff", c256: 213, c16: bright-magenta, attributes: [bold],
                mark: "≠", ascii: "!"}
              gutterGone: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {attributes: [bold, reverse], monochrome: [underline]}
              filterError: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold], mark: "›", ascii: ">"}
              input: {attributes: [underline]}
              placeholder: {attributes: [italic]}
              disabled: {attributes: [dim]}
              menu: {}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {mark: "█", ascii: "#"}
              progress: {rgb: "#00ffff", c256: 51, c16: bright-cyan, mark: "█", ascii: "#"}
              timeline: {rgb: "#00ffff", c256: 51, c16: bright-cyan, mark: "▪", ascii: "#"}
              device1: {rgb: "#00ffff", c256: 51, c16: bright-cyan, mark: "●", ascii: "1"}
              device2: {rgb: "#ffff00", c256: 226, c16: bright-yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#00ff00", c256: 46, c16: bright-green, mark: "▲", ascii: "3"}
              device4: {rgb: "#ff80ff", c256: 213, c16: bright-magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#ffffff", c256: 231, c16: bright-white, mark: "○", ascii: "5"}
              device6: {rgb: "#ff8080", c256: 210, c16: bright-red, mark: "□", ascii: "6"}

            """#,
        "tide-dark": #"""
            # For terminals with a dark background.
            name: tide-dark
            appearance: dark
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              key: {rgb: "#8ac6ff", c256: 117, c16: bright-cyan}
              string: {rgb: "#a8d8a0", c256: 151, c16: green}
              number: {rgb: "#e0af68", c256: 179, c16: yellow}
              boolean: {rgb: "#d7a0ff", c256: 177, c16: magenta}
              date: {rgb: "#ffd75f", c256: 221, c16: bright-yellow}
              data: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              collection: {rgb: "#8ac6ff", c256: 117, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#7dcfc4", c256: 79, c16: cyan}
              timestamp: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              winner: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "★",
                ascii: "*"}
              loser: {rgb: "#8a94a6", c256: 245, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#ff5faf", c256: 205, c16: bright-magenta, attributes: [bold], mark: "≠",
                ascii: "!"}
              problem: {rgb: "#ff6b6b", c256: 203, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [bold], monochrome: [reverse]}
              dim: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              link: {rgb: "#87afff", c256: 111, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#87d787", c256: 114, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff6b6b", c256: 203, c16: bright-red, monochrome: [dim], mark: "-"}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#2a3242", c256: 236, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#2a3242", c256: 236, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              keyName: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              border: {rgb: "#4a5568", c256: 240, c16: bright-black}
              focusedBorder: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              focusedRegionTitle: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#8a94a6", c256: 245, c16: bright-black}
              activeTab: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold],
                monochrome: [reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#ff6b6b", c256: 203, c16: bright-red, attributes: [bold, reverse],
                mark: "●", ascii: "*"}
              badgeReadOnly: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold]}
              badgePast: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#ff6b6b", c256: 203, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold], mark: "!"}
              notice: {rgb: "#5fafff", c256: 75, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#3a4a2a", c256: 58, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#ff5faf", c256: 205, c16: bright-magenta, attributes: [bold],
                mark: "≠", ascii: "!"}
              gutterGone: {rgb: "#ff6b6b", c256: 203, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#ffd75f",
                c256: 221, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#ff6b6b", c256: 203, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#8a94a6", c256: 245, c16: bright-black, attributes: [dim]}
              menu: {background: {rgb: "#2a3242", c256: 236, c16: black}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#4a5568", c256: 240, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#5fafff", c256: 75, c16: bright-blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#5fafff", c256: 75, c16: bright-blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#5fafff", c256: 75, c16: bright-blue, mark: "●", ascii: "1"}
              device2: {rgb: "#ffaf5f", c256: 215, c16: yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#87d787", c256: 114, c16: green, mark: "▲", ascii: "3"}
              device4: {rgb: "#d787ff", c256: 177, c16: magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#5fd7d7", c256: 80, c16: cyan, mark: "○", ascii: "5"}
              device6: {rgb: "#ff8787", c256: 210, c16: red, mark: "□", ascii: "6"}

            """#,
        "tide-light": #"""
            # For terminals with a light background.
            name: tide-light
            appearance: light
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#5b6472", c256: 241, c16: bright-black}
              key: {rgb: "#005a9c", c256: 25, c16: blue}
              string: {rgb: "#1d6b2c", c256: 22, c16: green}
              number: {rgb: "#8a4b00", c256: 94, c16: red}
              boolean: {rgb: "#7b2fa0", c256: 90, c16: magenta}
              date: {rgb: "#7a5200", c256: 94, c16: magenta}
              data: {rgb: "#5b6472", c256: 241, c16: bright-black}
              collection: {rgb: "#005a9c", c256: 25, c16: blue, mark: "▸", ascii: "+"}
              deletion: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#00665c", c256: 23, c16: cyan}
              timestamp: {rgb: "#5b6472", c256: 241, c16: bright-black}
              winner: {rgb: "#1a7a2e", c256: 28, c16: green, attributes: [bold], mark: "★", ascii: "*"}
              loser: {rgb: "#5b6472", c256: 241, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#b0005f", c256: 125, c16: magenta, attributes: [bold], mark: "≠", ascii: "!"}
              problem: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [bold], monochrome: [reverse]}
              dim: {rgb: "#5b6472", c256: 241, c16: bright-black}
              link: {rgb: "#0b4fb3", c256: 25, c16: blue, attributes: [underline], mark: "→", ascii: ">"}
              added: {rgb: "#1a7a2e", c256: 28, c16: green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#b3121d", c256: 124, c16: red, monochrome: [dim], mark: "-"}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#e3e8ef", c256: 254, c16: white},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#e3e8ef", c256: 254, c16: white}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#5b6472", c256: 241, c16: bright-black}
              keyName: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold]}
              keyAction: {rgb: "#5b6472", c256: 241, c16: bright-black}
              border: {rgb: "#9aa3af", c256: 247, c16: bright-black}
              focusedBorder: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold]}
              regionTitle: {rgb: "#5b6472", c256: 241, c16: bright-black}
              focusedRegionTitle: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold]}
              tab: {rgb: "#5b6472", c256: 241, c16: bright-black}
              activeTab: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold], monochrome: [reverse],
                mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold, reverse], mark: "●",
                ascii: "*"}
              badgeReadOnly: {rgb: "#1a7a2e", c256: 28, c16: green, attributes: [bold]}
              badgePast: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold, reverse], mark: "◂",
                ascii: "<"}
              badgeLive: {rgb: "#1a7a2e", c256: 28, c16: green, attributes: [bold], mark: "∿", ascii: "~"}
              badgePaused: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold, reverse], mark: "‖",
                ascii: "="}
              error: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold], mark: "!"}
              notice: {rgb: "#0057b8", c256: 25, c16: blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#fff0b3", c256: 229, c16: cyan}, attributes: [bold]}
              gutterNew: {rgb: "#1a7a2e", c256: 28, c16: green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#b0005f", c256: 125, c16: magenta, attributes: [bold], mark: "≠",
                ascii: "!"}
              gutterGone: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#ffd75f",
                c256: 221, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#b3121d", c256: 124, c16: red, attributes: [underline]}
              prompt: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [dim]}
              menu: {background: {rgb: "#e3e8ef", c256: 254, c16: white}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#9aa3af", c256: 247, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#0057b8", c256: 25, c16: blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#0057b8", c256: 25, c16: blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#0057b8", c256: 25, c16: blue, mark: "●", ascii: "1"}
              device2: {rgb: "#9a4d00", c256: 130, c16: red, mark: "■", ascii: "2"}
              device3: {rgb: "#1a7a2e", c256: 28, c16: green, mark: "▲", ascii: "3"}
              device4: {rgb: "#7b2fa0", c256: 90, c16: magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#00706b", c256: 30, c16: cyan, mark: "○", ascii: "5"}
              device6: {rgb: "#b3121d", c256: 124, c16: red, mark: "□", ascii: "6"}

            """#,
    ]
}
