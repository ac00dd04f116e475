import Testing

@testable import TidelineUI

/// The command lines of custom commands: words, quotes, placeholders and hostile values.
@Suite struct CommandTemplateTests {
    /// Values that would do harm if anything split or interpreted them.
    static let hostile = [
        "$(x)", "`x`", "; rm -rf ~", "| cat", "&& x", "a b  c", "'", "\"", "'; x; '", "\"; x; \"",
        "\\", "\\'", "$HOME", "${HOME}", "*", "~", "-rf", "--help", "{row}", "{{path}}", "a\nb",
        "\n", "a\tb", "#", "!", "é日\u{301}", "'\u{301}; x", "", " ", ">x", "<x", "%s%n",
        "\u{1B}[2J",
    ]

    private func words(_ line: String) throws -> [String] {
        try CommandTemplate(line, isShell: false).arguments([:])
    }

    private func problem(_ line: String, isShell: Bool = false) throws -> String {
        let problem = #expect(throws: CommandTemplate.Problem.self) {
            try CommandTemplate(line, isShell: isShell)
        }
        return try #require(problem).message
    }

    @Test(arguments: [
        ("a b", ["a", "b"]), ("  a \t b\n", ["a", "b"]), ("a 'b c'", ["a", "b c"]),
        ("a \"b c\"", ["a", "b c"]), ("a b\\ c", ["a", "b c"]),
        ("a b'c d'\"e f\"g", ["a", "bc de fg"]),
        ("a ''", ["a", ""]), ("a \"\" b", ["a", "", "b"]), ("a '\\'", ["a", "\\"]),
        ("a \"\\\"\\\\\\$\\n\"", ["a", "\"\\$\\n"]), ("a \\'b", ["a", "'b"]),
        ("a '|;$x'", ["a", "|;$x"]),
        ("a \\|", ["a", "|"]), ("a \\{row}", ["a", "{row}"]), ("a \\", ["a", "\\"]),
        ("a {} {a,b} 100$", ["a", "{}", "{a,b}", "100$"]),
        ("a {{row}} '{{ x }}'", ["a", "{row}", "{{ x }}"]),
    ])
    func lineIsSplitAsByAShell(_ line: String, _ expected: [String]) throws {
        #expect(try words(line) == expected)
    }

    @Test func placeholdersAreReplacedInsideWordsAndQuotes() throws {
        let template = try CommandTemplate(
            "tool {path} --key={row} '{value} by {device}' {pane}", isShell: false)
        #expect(template.placeholders == Set(CommandTemplate.Placeholder.allCases))
        let values: [CommandTemplate.Placeholder: String] = [
            .path: "My Notes.store", .row: "a b", .value: "1 2", .device: "mac", .pane: "keys",
        ]
        #expect(
            template.arguments(values) == [
                "tool", "My Notes.store", "--key=a b", "1 2 by mac", "keys",
            ])
    }

    @Test(arguments: hostile)
    func hostileValueStaysOneWord(_ value: String) throws {
        let template = try CommandTemplate("tool {value} x{row}y", isShell: false)
        #expect(
            template.arguments([.value: value, .row: value]) == ["tool", value, "x\(value)y"])
    }

    /// The line is run by the shell, which prints each word in brackets.
    @Test(arguments: hostile)
    func shellDoesNotInterpretHostileValues(_ value: String) async throws {
        let lines = [
            ("printf '<%s>' {value} {row}{value}", "<\(value)><k\(value)>"),
            ("f() { printf '<%s>' {value}; }; f other", "<\(value)>"),
            ("set -- other; printf '<%s>' {value} | cat", "<\(value)>"),
            ("printf '<%s>' x{value}y # don't", "<x\(value)y>"),
        ]
        for (line, expected) in lines {
            let template = try CommandTemplate(line, isShell: true)
            let result = try await CapturedProgram.run(
                template.arguments([.value: value, .row: "k"]))
            let shown = EscapeSequences.removed(from: Array(expected.utf8))
            #expect(
                result == .init(code: 0, output: shown, lastLine: result.lastLine), "\(line)")
        }
    }

    /// Substitutions, quotes, comments and redirections around a value don't change it.
    @Test(arguments: [
        "echo \"$(printf %s {value})\"", "(printf %s {value})", "# don't\nprintf %s {value}",
        "x={value}; printf %s \"$x\"", "if true; then printf %s {value}; fi",
        "case x in (x) printf %s {value} ;; esac", "x=abc; printf %s \"${x#abc}\"{value}",
        "printf %s \"$((1 - 1))\" | tr -d 0; printf %s {value} 2>&1", "echo \\#; printf %s {value}",
        "printf %s {value} <<END\nisn't \"read\nEND",
    ])
    func shellPassesTheValueUnchangedAnywhereInALine(_ line: String) async throws {
        let template = try CommandTemplate(line, isShell: true)
        for value in ["$(echo r''un)", "`echo r''un`", "'; echo r''un; '", "\"; echo r''un; \""] {
            let result = try await CapturedProgram.run(template.arguments([.value: value]))
            let output = result.output.trimmingPrefix("#\n")
            #expect(output.split(separator: "\n") == [value[...]], "\(line)")
        }
    }

    @Test(arguments: ["sh", "/bin/sh", "bash", "/usr/bin/zsh", "dash", "ksh", "fish"])
    func valueInsideAShellScriptIsRefused(_ shell: String) throws {
        for (line, option) in [
            ("\(shell) -c \"echo {value}\"", "-c"), ("\(shell) -ec {value}", "-ec"),
            ("\(shell) -e -lc 'echo {value}' x", "-lc"), ("env x=1 \(shell) -c {value}", "-c"),
            ("\(shell) -c -o pipefail 'echo {value}'", "-c"),
        ] {
            let name = shell.split(separator: "/").last ?? ""
            let expected =
                "{value} can't be a part of a script: use shell: true instead of \(name) \(option)"
            #expect(try problem(line) == expected, "\(line)")
        }
        #expect(try problem("true; \(shell) -c {value}", isShell: true).contains("a script"))
        // Its arguments are only values.
        for line in ["\(shell) -c 'echo \"$1\"' sh {value}", "\(shell) -e {value}"] {
            _ = try CommandTemplate(line, isShell: false)
        }
        _ = try CommandTemplate("\(shell) x; grep -c {value}", isShell: true)
    }

    @Test(arguments: [
        ("echo $(( {value} + 1 ))", "can't be a part of an arithmetic expression"),
        ("echo \"$((1 + ({value})))\"", "can't be a part of an arithmetic expression"),
        ("(( {value} ))", "can't be a part of an arithmetic expression"),
        ("echo ${x:-{value}}", "can't be inside ${…}"),
        ("echo `echo {value}`", "can't be inside backquotes"),
        ("cat <<END\n{value}\nEND", "can't be after <<"),
        ("cat <<-'END' | tr a b\n{value}\nEND", "can't be after <<"),
        ("echo \"$(echo \"{value}\")\"", "is quoted already"),
        ("# don't\necho '{value}'", "is quoted already"),
        ("echo \\{value}", "is after a backslash: to write it as text, use {{value}}"),
        ("true; {value}", "can't be the program"), ("true | x=1 {value} a", "can't be the program"),
        ("if {value}; then true; fi", "can't be the program"),
        ("echo $({value})", "can't be the program"),
    ])
    func shellLineRejectsPlaceholdersItWouldInterpret(_ line: String, _ reason: String) throws {
        #expect(try problem(line, isShell: true).hasPrefix("{value} \(reason)"))
    }

    @Test(arguments: [
        "cat < {value} > {row}", "(cat) > {value}", "echo $(date) {value}", "echo `date` {value}",
        "echo $((1 << 2)) {value}", "while read x; do echo; done < {value}", "! grep {value}",
        "cat 2>&1 {value} >| {row}", "# {value}", "echo 'a'#{value}", "cat <<< {value}",
    ])
    func shellLineAllowsPlaceholdersElsewhere(_ line: String) throws {
        #expect(try CommandTemplate(line, isShell: true).placeholders.contains(.value))
    }

    @Test func mistakesAreExplained() throws {
        #expect(try problem("  \n") == "the command is empty")
        #expect(try problem("", isShell: true) == "the command is empty")
        #expect(try problem("a\0b") == "the command contains a null character")
        #expect(
            try problem("a {Row}")
                == "unknown placeholder {Row}; the placeholders are {path}, {pane}, {row}, {value}, "
                + "{device}; to write {Row} as text, use {{Row}}")
        #expect(try problem("a {key}", isShell: true).hasPrefix("unknown placeholder {key}; "))
        #expect(try problem("a 'b") == "a quote (') isn't closed")
        #expect(try problem("a \"b") == "a quote (\") isn't closed")
        for (line, sign) in [
            ("a | b", "|"), ("a; b", ";"), ("a &", "&"), ("a > b", ">"), ("a < b", "<"),
            ("a $HOME", "$"), ("a ${row}", "$"), ("a $(b)", "$"), ("a `b`", "`"),
        ] {
            #expect(try problem(line) == "\(sign) needs shell: true, or quotes around it")
        }
        // Devices write the values. They must not choose the program.
        #expect(try problem("{value} a") == "{value} can't be the program")
        #expect(try problem("x{row} a") == "{row} can't be the program")
        #expect(try problem(" {value} a", isShell: true) == "{value} can't be the program")
        for line in ["a '{row}'", "a \"x {row}\"", "a \"$x{row}\"", "a '{{row}} {row}'"] {
            #expect(
                try problem(line, isShell: true)
                    == "{row} is quoted already: remove the quotes around it", "\(line)")
        }
    }

    @Test func shellKeepsItsOwnBraces() throws {
        let line = "a ${path} \"${HOME}\" {{row}} '{{row}}' { b; } {}"
        let template = try CommandTemplate(line, isShell: true)
        #expect(template.placeholders.isEmpty)
        #expect(
            template.arguments([:])[2] == "\na ${path} \"${HOME}\" {row} '{row}' { b; } {}")
    }
}
