import ServerCatalog
import Testing

@Suite struct ServerNameTests {
    struct Case: Sendable {
        let name: String
        let prefix: String
        let number: Int?
    }

    @Test(arguments: [
        Case(name: "DE#9", prefix: "DE", number: 9),
        Case(name: "US-NY#61-TOR", prefix: "US-NY", number: 61),
        Case(name: "US-NY#x", prefix: "US-NY", number: nil),
        Case(name: "DE#", prefix: "DE#", number: nil),
        Case(name: "#DE#4", prefix: "DE", number: 4),
        Case(name: "A#B#1", prefix: "A#B#1", number: nil),
        Case(name: "", prefix: "", number: nil),
        Case(name: "DE#99999999999999999999", prefix: "DE", number: nil),
    ])
    func nameIsSplitAtTheNumberSign(_ example: Case) {
        let name = ServerName(example.name)
        #expect(name.prefix == example.prefix)
        #expect(name.sequenceNumber == example.number)
    }

    @Test(arguments: [
        (0, 0), (99, 99), (100, 100), (101, 100), (200, 100), (201, 200), (4123, 4100),
        (4200, 4100),
    ])
    func countIsRoundedDownToAHundred(_ count: Int, _ rounded: Int) {
        #expect(ServerRepository.rounded(serverCount: count) == rounded)
    }
}
