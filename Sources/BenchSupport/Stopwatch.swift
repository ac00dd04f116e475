/// Times of work, as medians.
package enum Stopwatch {
    /// The median time of `runs` runs of `work`, and what the last one returned.
    ///
    /// - Parameters:
    ///   - prepare: Makes what `work` needs; not timed.
    ///   - work: Returns what it made, so that no part of it is left out as useless; letting go of
    ///     it is not timed.
    package static func median<Input, Output>(
        runs: Int, prepare: () throws -> Input, work: (Input) throws -> Output
    ) rethrows -> (time: Duration, output: Output) {
        let clock = ContinuousClock()
        var times: [Duration] = []
        while true {
            let input = try prepare()
            let start = clock.now
            let output = try work(input)
            times.append(clock.now - start)
            if times.count >= runs { return (median(of: times), output) }
        }
    }

    package static func median<Output>(
        runs: Int, work: () throws -> Output
    ) rethrows -> (time: Duration, output: Output) {
        try median(runs: runs, prepare: {}, work: work)
    }

    /// The middle one; of an even number the lower middle one. Zero of none.
    package static func median(of times: [Duration]) -> Duration {
        let sorted = times.sorted()
        return sorted.isEmpty ? .zero : sorted[(sorted.count - 1) / 2]
    }
}

extension Duration {
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
    package var milliseconds: Double { seconds * 1e3 }
    package var microseconds: Double { seconds * 1e6 }
}
