import Foundation

/// Memory of this process, as the kernel counts it.
package enum ResidentMemory {
    /// Bytes in memory now.
    package static func current() throws -> Int { try field("VmRSS") }

    /// The most bytes there were in memory at any time.
    package static func peak() throws -> Int { try field("VmHWM") }

    private static func field(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
            let digits = line.filter(\.isNumber)
            if let kilobytes = Int(digits) { return kilobytes * 1024 }
        }
        throw BenchError("/proc/self/status does not say \(name)")
    }
}
