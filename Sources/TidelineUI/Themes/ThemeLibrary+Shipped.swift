// swift-format-ignore-file
// Written by ShippedThemesTests from the folder Themes.

extension ThemeLibrary {
    /// The themes that come with the program, by name: the files of the folder Themes, so that
    /// the program needs no other files.
    static let shipped: [String: String] = [
        "deuteranopia": #"""
            # For red-green color blindness: contrasts blue with orange and yellow, and uses lightness.
            name: deuteranopia
            appearance: dark
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              key: {rgb: "#56b4e9", c256: 74, c16: bright-cyan}
              string: {rgb: "#d9d9d9", c256: 253, c16: white}
              number: {rgb: "#f0e442", c256: 227, c16: bright-yellow}
              boolean: {rgb: "#d88bb8", c256: 176, c16: magenta}
              date: {rgb: "#f0e442", c256: 227, c16: bright-yellow}
              data: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              collection: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#56b4e9", c256: 74, c16: cyan}
              timestamp: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              winner: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold], mark: "★", ascii: "*"}
              loser: {rgb: "#98a2b4", c256: 247, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold], mark: "≠",
                ascii: "#"}
              problem: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [bold]}
              dim: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              link: {rgb: "#87afff", c256: 111, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, monochrome: [bold], mark: "+"}
              removed: {rgb: "#e69f00", c256: 214, c16: yellow, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [underline]}
              removedWord: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [underline]}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#2a3242", c256: 236, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#2a3242", c256: 236, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              keyName: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              border: {rgb: "#4a5568", c256: 240, c16: bright-black}
              focusedBorder: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              focusedRegionTitle: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              activeTab: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold],
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
              notice: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#1c395d", c256: 18, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#f0e442", c256: 227, c16: bright-yellow, attributes: [bold],
                mark: "≠", ascii: "#"}
              gutterGone: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#f0e442",
                c256: 227, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#e69f00", c256: 214, c16: yellow, attributes: [underline]}
              prompt: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#98a2b4", c256: 247, c16: bright-black, monochrome: [dim]}
              menu: {background: {rgb: "#2a3242", c256: 236, c16: black}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#4a5568", c256: 240, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#4fa9ec", c256: 75, c16: bright-blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#56b4e9", c256: 74, c16: bright-cyan, mark: "●", ascii: "1"}
              device2: {rgb: "#e69f00", c256: 214, c16: yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#f0e442", c256: 227, c16: bright-yellow, mark: "▲", ascii: "3"}
              device4: {rgb: "#9db4ff", c256: 147, c16: blue, mark: "◆", ascii: "4"}
              device5: {rgb: "#d9d9d9", c256: 253, c16: white, mark: "○", ascii: "5"}
              device6: {rgb: "#d88bb8", c256: 176, c16: magenta, mark: "□", ascii: "6"}

            """#,
        "dracula": #"""
            # The palette of Dracula, for terminals with a dark background.
            name: dracula
            appearance: dark
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              key: {rgb: "#8be9fd", c256: 117, c16: bright-cyan}
              string: {rgb: "#f1fa8c", c256: 228, c16: green}
              number: {rgb: "#ffb86c", c256: 215, c16: yellow}
              boolean: {rgb: "#cfb0fb", c256: 183, c16: magenta}
              date: {rgb: "#f1fa8c", c256: 228, c16: bright-yellow}
              data: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              collection: {rgb: "#8be9fd", c256: 117, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#b4bcda", c256: 146, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#8be9fd", c256: 117, c16: cyan}
              timestamp: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              winner: {rgb: "#50fa7b", c256: 84, c16: bright-green, attributes: [bold], mark: "★",
                ascii: "*"}
              loser: {rgb: "#b4bcda", c256: 146, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#ff8fd0", c256: 212, c16: bright-magenta, attributes: [bold], mark: "≠",
                ascii: "#"}
              problem: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#b4bcda", c256: 146, c16: bright-black, attributes: [bold]}
              dim: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              link: {rgb: "#8be9fd", c256: 117, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#50fa7b", c256: 84, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff8a8a", c256: 210, c16: bright-red, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#50fa7b", c256: 84, c16: bright-green, attributes: [underline]}
              removedWord: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [underline]}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#343746", c256: 237, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#343746", c256: 237, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#b4bcda", c256: 146, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              keyName: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              border: {rgb: "#6272a4", c256: 61, c16: bright-black}
              focusedBorder: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              focusedRegionTitle: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#b4bcda", c256: 146, c16: bright-black}
              activeTab: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold],
                monochrome: [reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [bold, reverse],
                mark: "●", ascii: "*"}
              badgeReadOnly: {rgb: "#50fa7b", c256: 84, c16: bright-green, attributes: [bold]}
              badgePast: {rgb: "#f1fa8c", c256: 228, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#50fa7b", c256: 84, c16: bright-green, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#f1fa8c", c256: 228, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#f1fa8c", c256: 228, c16: bright-yellow, attributes: [bold], mark: "!"}
              notice: {rgb: "#bd93f9", c256: 177, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#2c4132", c256: 54, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#50fa7b", c256: 84, c16: bright-green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#f1fa8c", c256: 228, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#ff8fd0", c256: 212, c16: bright-magenta, attributes: [bold],
                mark: "≠", ascii: "#"}
              gutterGone: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#21222c", c256: 235, c16: black, background: {rgb: "#f1fa8c",
                c256: 228, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#ff8a8a", c256: 210, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#bd93f9", c256: 177, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#b4bcda", c256: 146, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#b4bcda", c256: 146, c16: bright-black, monochrome: [dim]}
              menu: {background: {rgb: "#343746", c256: 237, c16: black}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#6272a4", c256: 61, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#bd93f9", c256: 177, c16: bright-blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#bd93f9", c256: 177, c16: bright-blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#bd93f9", c256: 177, c16: bright-blue, mark: "●", ascii: "1"}
              device2: {rgb: "#ffb86c", c256: 215, c16: yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#50fa7b", c256: 84, c16: green, mark: "▲", ascii: "3"}
              device4: {rgb: "#ff79c6", c256: 212, c16: magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#8be9fd", c256: 117, c16: cyan, mark: "○", ascii: "5"}
              device6: {rgb: "#ff8a8a", c256: 210, c16: red, mark: "□", ascii: "6"}

            """#,
        "gruvbox": #"""
            # The warm palette of gruvbox, for terminals with a dark background.
            name: gruvbox
            appearance: dark
            background: terminal
            roles:
              plain: {}
              title: {attributes: [bold]}
              label: {rgb: "#bdae93", c256: 144, c16: bright-black}
              key: {rgb: "#8ec07c", c256: 108, c16: bright-cyan}
              string: {rgb: "#b8bb26", c256: 142, c16: green}
              number: {rgb: "#fe8019", c256: 208, c16: yellow}
              boolean: {rgb: "#d3869b", c256: 174, c16: magenta}
              date: {rgb: "#fabd2f", c256: 214, c16: bright-yellow}
              data: {rgb: "#bdae93", c256: 144, c16: bright-black}
              collection: {rgb: "#8ec07c", c256: 108, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#bdae93", c256: 144, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#8ec07c", c256: 108, c16: cyan}
              timestamp: {rgb: "#bdae93", c256: 144, c16: bright-black}
              winner: {rgb: "#b8bb26", c256: 142, c16: bright-green, attributes: [bold], mark: "★",
                ascii: "*"}
              loser: {rgb: "#bdae93", c256: 144, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#f298b2", c256: 211, c16: bright-magenta, attributes: [bold], mark: "≠",
                ascii: "#"}
              problem: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#bdae93", c256: 144, c16: bright-black, attributes: [bold]}
              dim: {rgb: "#bdae93", c256: 144, c16: bright-black}
              link: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#b8bb26", c256: 142, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff7a68", c256: 209, c16: bright-red, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#b8bb26", c256: 142, c16: bright-green, attributes: [underline]}
              removedWord: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [underline]}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#32302f", c256: 236, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#32302f", c256: 236, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#bdae93", c256: 144, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#bdae93", c256: 144, c16: bright-black}
              keyName: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#bdae93", c256: 144, c16: bright-black}
              border: {rgb: "#7c6f64", c256: 242, c16: bright-black}
              focusedBorder: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#bdae93", c256: 144, c16: bright-black}
              focusedRegionTitle: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#bdae93", c256: 144, c16: bright-black}
              activeTab: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold],
                monochrome: [reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [bold, reverse],
                mark: "●", ascii: "*"}
              badgeReadOnly: {rgb: "#b8bb26", c256: 142, c16: bright-green, attributes: [bold]}
              badgePast: {rgb: "#fabd2f", c256: 214, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#b8bb26", c256: 142, c16: bright-green, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#fabd2f", c256: 214, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#fabd2f", c256: 214, c16: bright-yellow, attributes: [bold], mark: "!"}
              notice: {rgb: "#83a598", c256: 108, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#38351e", c256: 52, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#b8bb26", c256: 142, c16: bright-green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#fabd2f", c256: 214, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#f298b2", c256: 211, c16: bright-magenta, attributes: [bold],
                mark: "≠", ascii: "#"}
              gutterGone: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#1d2021", c256: 234, c16: black, background: {rgb: "#fabd2f",
                c256: 214, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#ff7a68", c256: 209, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#83a598", c256: 108, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#bdae93", c256: 144, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#bdae93", c256: 144, c16: bright-black, monochrome: [dim]}
              menu: {background: {rgb: "#32302f", c256: 236, c16: black}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#7c6f64", c256: 242, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#83a598", c256: 108, c16: bright-blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#83a598", c256: 108, c16: bright-blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#83a598", c256: 109, c16: bright-blue, mark: "●", ascii: "1"}
              device2: {rgb: "#fe8019", c256: 208, c16: yellow, mark: "■", ascii: "2"}
              device3: {rgb: "#b8bb26", c256: 142, c16: green, mark: "▲", ascii: "3"}
              device4: {rgb: "#d3869b", c256: 174, c16: magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#8ec07c", c256: 108, c16: cyan, mark: "○", ascii: "5"}
              device6: {rgb: "#ff7a68", c256: 209, c16: red, mark: "□", ascii: "6"}

            """#,
        "high-contrast": #"""
            # For low vision and bright rooms: white on black. Bold, reverse, underline and signs carry the
            # meaning first, a few strong colors second.
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
                mark: "≠", ascii: "#"}
              problem: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {attributes: [bold]}
              dim: {}
              link: {rgb: "#80c0ff", c256: 117, c16: bright-cyan, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#00ff00", c256: 46, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff8080", c256: 210, c16: bright-red, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#00ff00", c256: 46, c16: bright-green, attributes: [underline]}
              removedWord: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [underline]}
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
                mark: "≠", ascii: "#"}
              gutterGone: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {attributes: [bold, reverse], monochrome: [underline]}
              filterError: {rgb: "#ff8080", c256: 210, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#00ffff", c256: 51, c16: bright-cyan, attributes: [bold], mark: "›", ascii: ">"}
              input: {attributes: [underline]}
              placeholder: {attributes: [italic]}
              disabled: {monochrome: [dim]}
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
              label: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              key: {rgb: "#8ac6ff", c256: 117, c16: bright-cyan}
              string: {rgb: "#a8d8a0", c256: 151, c16: green}
              number: {rgb: "#e0af68", c256: 179, c16: yellow}
              boolean: {rgb: "#d7a0ff", c256: 177, c16: magenta}
              date: {rgb: "#ffd75f", c256: 221, c16: bright-yellow}
              data: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              collection: {rgb: "#8ac6ff", c256: 117, c16: bright-cyan, mark: "▸", ascii: "+"}
              deletion: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [italic], mark: "∅",
                ascii: "0"}
              device: {rgb: "#7dcfc4", c256: 79, c16: cyan}
              timestamp: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              winner: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "★",
                ascii: "*"}
              loser: {rgb: "#98a2b4", c256: 247, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#ff5faf", c256: 205, c16: bright-magenta, attributes: [bold], mark: "≠",
                ascii: "#"}
              problem: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [bold]}
              dim: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              link: {rgb: "#87afff", c256: 111, c16: bright-blue, attributes: [underline], mark: "→",
                ascii: ">"}
              added: {rgb: "#87d787", c256: 114, c16: bright-green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#ff6b6b", c256: 204, c16: bright-red, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [underline]}
              removedWord: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [underline]}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#2a3242", c256: 236, c16: black},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#2a3242", c256: 236, c16: black}, attributes: [bold],
                monochrome: [reverse]}
              columnHeader: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [bold]}
              footer: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              keyName: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              keyAction: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              border: {rgb: "#4a5568", c256: 240, c16: bright-black}
              focusedBorder: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              regionTitle: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              focusedRegionTitle: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold]}
              tab: {rgb: "#98a2b4", c256: 247, c16: bright-black}
              activeTab: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold],
                monochrome: [reverse], mark: "▸", ascii: ">"}
              badgeWrite: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [bold, reverse],
                mark: "●", ascii: "*"}
              badgeReadOnly: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold]}
              badgePast: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold, reverse],
                mark: "◂", ascii: "<"}
              badgeLive: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "∿",
                ascii: "~"}
              badgePaused: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold, reverse],
                mark: "‖", ascii: "="}
              error: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold], mark: "!"}
              notice: {rgb: "#5fafff", c256: 75, c16: bright-blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#2a361f", c256: 17, c16: blue}, attributes: [bold]}
              gutterNew: {rgb: "#87d787", c256: 114, c16: bright-green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#ffd75f", c256: 221, c16: bright-yellow, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#ff5faf", c256: 205, c16: bright-magenta, attributes: [bold],
                mark: "≠", ascii: "#"}
              gutterGone: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#ffd75f",
                c256: 221, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#ff6b6b", c256: 204, c16: bright-red, attributes: [underline]}
              prompt: {rgb: "#5fafff", c256: 75, c16: bright-blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#98a2b4", c256: 247, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#98a2b4", c256: 247, c16: bright-black, monochrome: [dim]}
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
            # Dark on white. Paints its own background, whatever the terminal's background is.
            name: tide-light
            appearance: light
            foreground: {rgb: "#1c2127", c256: 234, c16: black}
            background: {rgb: "#ffffff", c256: 231, c16: bright-white}
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
              winner: {rgb: "#17702a", c256: 22, c16: green, attributes: [bold], mark: "★", ascii: "*"}
              loser: {rgb: "#5b6472", c256: 241, c16: bright-black, monochrome: [dim]}
              conflict: {rgb: "#b0005f", c256: 125, c16: magenta, attributes: [bold], mark: "≠", ascii: "#"}
              problem: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "✗", ascii: "x"}
              badge: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [bold]}
              dim: {rgb: "#5b6472", c256: 241, c16: bright-black}
              link: {rgb: "#0b4fb3", c256: 25, c16: blue, attributes: [underline], mark: "→", ascii: ">"}
              added: {rgb: "#17702a", c256: 22, c16: green, monochrome: [bold], mark: "+"}
              removed: {rgb: "#b3121d", c256: 124, c16: red, monochrome: [dim], mark: "-"}
              addedWord: {rgb: "#17702a", c256: 22, c16: green, attributes: [underline]}
              removedWord: {rgb: "#b3121d", c256: 124, c16: red, attributes: [underline]}
              selection: {attributes: [reverse], mark: "›", ascii: ">"}
              inactiveSelection: {background: {rgb: "#e3e8ef", c256: 254, c16: bright-white},
                monochrome: [underline], mark: "›", ascii: ">"}
              marked: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold], mark: "•", ascii: "*"}
              header: {background: {rgb: "#e3e8ef", c256: 254, c16: bright-white}, attributes: [bold],
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
              badgeReadOnly: {rgb: "#17702a", c256: 22, c16: green, attributes: [bold]}
              badgePast: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold, reverse], mark: "◂",
                ascii: "<"}
              badgeLive: {rgb: "#17702a", c256: 22, c16: green, attributes: [bold], mark: "∿", ascii: "~"}
              badgePaused: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold, reverse], mark: "‖",
                ascii: "="}
              error: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "✗", ascii: "x"}
              warning: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold], mark: "!"}
              notice: {rgb: "#0057b8", c256: 25, c16: blue, mark: "·", ascii: "."}
              flash: {background: {rgb: "#fff0b3", c256: 229, c16: cyan}, attributes: [bold]}
              gutterNew: {rgb: "#17702a", c256: 22, c16: green, attributes: [bold], mark: "+"}
              gutterChanged: {rgb: "#7a5200", c256: 94, c16: magenta, attributes: [bold], mark: "~"}
              gutterConflict: {rgb: "#b0005f", c256: 125, c16: magenta, attributes: [bold], mark: "≠",
                ascii: "#"}
              gutterGone: {rgb: "#b3121d", c256: 124, c16: red, attributes: [bold], mark: "-"}
              matchHighlight: {rgb: "#101418", c256: 233, c16: black, background: {rgb: "#ffd75f",
                c256: 221, c16: yellow}, attributes: [bold], monochrome: [underline]}
              filterError: {rgb: "#b3121d", c256: 124, c16: red, attributes: [underline]}
              prompt: {rgb: "#0057b8", c256: 25, c16: blue, attributes: [bold], mark: "›", ascii: ">"}
              input: {monochrome: [underline]}
              placeholder: {rgb: "#5b6472", c256: 241, c16: bright-black, attributes: [italic]}
              disabled: {rgb: "#5b6472", c256: 241, c16: bright-black, monochrome: [dim]}
              menu: {background: {rgb: "#e3e8ef", c256: 254, c16: bright-white}}
              menuSelection: {attributes: [reverse], mark: "›", ascii: ">"}
              scrollbar: {rgb: "#9aa3af", c256: 247, c16: bright-black, mark: "█", ascii: "#"}
              progress: {rgb: "#0057b8", c256: 25, c16: blue, mark: "█", ascii: "#"}
              timeline: {rgb: "#0057b8", c256: 25, c16: blue, mark: "▪", ascii: "#"}
              device1: {rgb: "#0057b8", c256: 25, c16: blue, mark: "●", ascii: "1"}
              device2: {rgb: "#9a4d00", c256: 94, c16: red, mark: "■", ascii: "2"}
              device3: {rgb: "#17702a", c256: 22, c16: green, mark: "▲", ascii: "3"}
              device4: {rgb: "#7b2fa0", c256: 90, c16: magenta, mark: "◆", ascii: "4"}
              device5: {rgb: "#00706b", c256: 23, c16: cyan, mark: "○", ascii: "5"}
              device6: {rgb: "#b3121d", c256: 124, c16: red, mark: "□", ascii: "6"}

            """#,
    ]
}
