package import ArgumentParser

/// `diff <before> <after>`: shows which measurements became faster or slower.
package struct ReportDiff: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two files written by --json.",
        discussion: """
            Compares ratios if both files have them, otherwise values. Exits with 1 if a \
            figure grew by more than the tolerance or now exceeds its limit.
            """)

    @Argument(help: "The older file.")
    package var before: String

    @Argument(help: "The newer file.")
    package var after: String

    @Option(help: "Growth to treat as noise, as a fraction.")
    package var tolerance = 0.1

    package init() {}

    package func run() throws {
        let old = try ReportFile(contentsOf: before).measurements
        let new = try ReportFile(contentsOf: after).measurements
        print(Table.row("", "before", "after", "change", "", ""))
        var worse = false
        for measurement in new {
            let name = "\(measurement.suite) \(measurement.name)"
            let earlier = old.first {
                $0.suite == measurement.suite && $0.name == measurement.name
                    && $0.unit == measurement.unit
            }
            guard let earlier else {
                print(Table.row(name, "", Self.figure(measurement), "new", "", ""))
                continue
            }
            let change = Self.change(from: earlier, to: measurement)
            let missed = measurement.verdict == .missed && earlier.verdict != .missed
            let grew = change > tolerance
            worse = worse || grew || missed
            print(
                Table.row(
                    name, Self.figure(earlier), Self.figure(measurement),
                    (change >= 0 ? "+" : "") + Table.number((change * 100).rounded()) + " %",
                    missed ? "missed" : grew ? "worse" : "", ""))
        }
        for measurement in old
        where !new.contains(where: { $0.suite == measurement.suite && $0.name == measurement.name })
        {
            let name = "\(measurement.suite) \(measurement.name)"
            print(Table.row(name, Self.figure(measurement), "", "missing", "", ""))
        }
        if worse { throw ExitCode(1) }
    }

    private static func figure(_ measurement: Measurement) -> String {
        measurement.ratio.map { Table.number($0) }
            ?? Table.number(measurement.value, measurement.unit)
    }

    /// Returns the growth as a fraction. Compares the ratios if both measurements have a ratio;
    /// otherwise, compares the values.
    package static func change(from old: Measurement, to new: Measurement) -> Double {
        let (earlier, later): (Double, Double)
        if let oldRatio = old.ratio, let newRatio = new.ratio {
            (earlier, later) = (oldRatio, newRatio)
        } else {
            (earlier, later) = (old.value, new.value)
        }
        return earlier > 0 ? later / earlier - 1 : (later > 0 ? .infinity : 0)
    }
}
