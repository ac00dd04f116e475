/// Median times of repeated work.
package enum Stopwatch {
    /// Returns the median time of `runs` runs of `work`, and the result of the last one.
    ///
    /// - Parameters:
    ///   - prepare: Creates the input of `work`. Not timed.
    ///   - work: Returns its result, so that the optimizer can't remove any part of the work.
    ///     Releasing the result is not timed.
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

    /// Returns the median, or the lower of the two middle times. Zero for no times.
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
