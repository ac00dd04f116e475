import Foundation
import ServerCatalog
import Testing

@Suite struct LogicalsDecodingTests {
    private func read(_ record: String) throws -> CatalogFileReader<VPNServer>.Record? {
        var reader = CatalogFileReader.logicals(
            ByteStream(Data("{\"LogicalServers\": [\(record)]}".utf8)))
        return try reader.next()
    }

    /// Returns a record with only the required members, with one of them replaced or left out.
    private func record(_ key: String = "", _ value: String? = nil) -> String {
        var members = [
            "ID": "\"a\"", "Name": "\"CH#1\"", "Domain": "\"d\"", "EntryCountry": "\"CH\"",
            "ExitCountry": "\"CH\"", "Load": "5", "Tier": "0", "Status": "1", "Features": "4",
            "Score": "1.5", "Location": "{\"Lat\": 1, \"Long\": -2.5}", "Servers": "[]",
        ]
        if !key.isEmpty { members[key] = value }
        return "{\(members.map { "\"\($0.key)\": \($0.value)" }.sorted().joined(separator: ","))}"
    }

    @Test func recordWithOnlyRequiredMembersIsDecoded() throws {
        guard case .good(let server) = try read(record()) else {
            Issue.record("not read")
            return
        }
        #expect(
            server
                == VPNServer(
                    logical: Logical(
                        id: "a", name: "CH#1", domain: "d", exitCountryCode: "CH", tier: 0,
                        features: .p2p, latitude: 1, longitude: -2.5,
                        status: LogicalStatus(load: 5, score: 1.5, status: 1)),
                    endpoints: []))
    }

    @Test(arguments: [
        "ID", "Name", "Domain", "EntryCountry", "ExitCountry", "Load", "Tier", "Status",
        "Features", "Score", "Location", "Servers",
    ])
    func missingMemberIsNamed(_ key: String) throws {
        for value in [nil, "null"] {
            guard case .bad(let bad, let id) = try read(record(key, value)) else {
                Issue.record("read without \(key)")
                continue
            }
            #expect(bad.reason == "\(key) is missing")
            #expect(bad.index == 0)
            #expect(bad.name == (key == "ID" ? "CH#1" : "a"))
            #expect(id == (key == "ID" ? nil : "a"))
        }
    }

    @Test(arguments: [
        ("Tier", "\"2\"", "Tier is not an integer"), ("Load", "1.5", "Load is not an integer"),
        ("Load", "1e300", "Load is not an integer"),
        ("Location", "[]", "Location is not an object"),
        ("Location", "{\"Lat\": 1}", "Location.Long is missing"),
        ("City", "7", "City is not a string"), ("Servers", "{}", "Servers is not an array"),
        ("Servers", "[3]", "Servers[0].ID is missing"),
        (
            "Servers",
            "[{\"ID\":\"e\",\"ExitIP\":\"1\",\"Domain\":\"d\",\"Status\":1,"
                + "\"EntryPerProtocol\":{\"IKEv2\":{\"Ports\":[\"x\"]}}}]",
            "Ports contains values other than integers"
        ),
    ])
    func memberOfTheWrongTypeIsNamed(_ key: String, _ value: String, _ reason: String) throws {
        guard case .bad(let bad, _) = try read(record(key, value)) else {
            Issue.record("read")
            return
        }
        #expect(bad.reason.hasSuffix(reason))
    }

    @Test func invalidRecordDoesNotAffectTheNext() throws {
        var reader = CatalogFileReader.logicals(
            ByteStream(Data("{\"LogicalServers\": [{\"ID\": tru}, \(record()),]}".utf8)))
        guard case .bad(let bad, _) = try reader.next(), case .good = try reader.next() else {
            Issue.record("not a bad record and a good one")
            return
        }
        #expect(bad.reason.contains("byte 7"))
        let end = try reader.next()
        #expect(end == nil)
    }

    @Test func writtenFileReadsBack() throws {
        let servers = SampleServers(count: 300, countryCount: 20).servers()
        var reader = CatalogFileReader.logicals(ByteStream(LogicalsWriter.logicals(servers)))
        var read: [VPNServer] = []
        while let record = try reader.next() {
            if case .good(let server) = record { read.append(server) }
        }
        #expect(read == servers)

        var loads = CatalogFileReader.loads(ByteStream(LogicalsWriter.loads(servers)))
        for server in servers {
            guard case .good(let load) = try loads.next() else {
                Issue.record("a load is missing")
                return
            }
            #expect(load == ServerLoad(id: server.id, status: server.logical.status))
        }
    }
}
