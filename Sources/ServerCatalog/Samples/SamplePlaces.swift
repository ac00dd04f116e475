/// A city with sample servers.
struct SampleCity: Sendable {
    let name: String
    /// The German name, as an example of a translation; `nil` if it is the same.
    let translated: String?
    let latitude: Double
    let longitude: Double
}

/// A country with sample servers, and its cities.
struct SampleCountry: Sendable {
    let code: String
    let cities: [SampleCity]
}

extension SampleCountry {
    /// The countries, in descending order of their number of servers.
    static let all: [SampleCountry] = table.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: ":")
        guard parts.count == 2 else { return nil }
        return SampleCountry(
            code: String(parts[0]), cities: parts[1].split(separator: ";").compactMap(city))
    }

    private static func city(_ text: Substring) -> SampleCity? {
        let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }
        guard parts.count == 3, let latitude = Double(parts[1]), let longitude = Double(parts[2])
        else { return nil }
        let names = parts[0].split(separator: "=").map(String.init)
        return names.first.map {
            SampleCity(
                name: $0, translated: names.count > 1 ? names[1] : nil, latitude: latitude,
                longitude: longitude)
        }
    }

    /// `code: city[=translated], latitude, longitude; …`
    private static let table = """
        US: New York, 40.71, -74.01; Los Angeles, 34.05, -118.24; Chicago, 41.88, -87.63; Dallas, 32.78, -96.80; Miami, 25.76, -80.19; Seattle, 47.61, -122.33; San José, 37.34, -121.89
        DE: Frankfurt, 50.11, 8.68; Berlin, 52.52, 13.41; Munich=München, 48.14, 11.58; Düsseldorf, 51.23, 6.77
        NL: Amsterdam, 52.37, 4.90; The Hague=Den Haag, 52.08, 4.31; Rotterdam, 51.92, 4.48
        CH: Zürich, 47.38, 8.54; Geneva=Genf, 46.20, 6.14; Bern, 46.95, 7.45
        GB: London, 51.51, -0.13; Manchester, 53.48, -2.24; Edinburgh, 55.95, -3.19
        FR: Paris, 48.86, 2.35; Marseille, 43.30, 5.37; Strasbourg=Straßburg, 48.57, 7.75
        JP: Tokyo=Tokio, 35.68, 139.69; Osaka=Ōsaka, 34.69, 135.50
        CA: Toronto, 43.65, -79.38; Montréal=Montreal, 45.50, -73.57; Vancouver, 49.28, -123.12
        SE: Stockholm, 59.33, 18.07; Malmö, 55.60, 13.00; Gothenburg=Göteborg, 57.71, 11.97
        AU: Sydney, -33.87, 151.21; Melbourne, -37.81, 144.96; Perth, -31.95, 115.86
        SG: Singapore=Singapur, 1.35, 103.82
        ES: Madrid, 40.42, -3.70; Barcelona, 41.39, 2.17; Málaga, 36.72, -4.42
        IT: Milan=Mailand, 45.46, 9.19; Rome=Rom, 41.90, 12.50; Palermo, 38.12, 13.36
        PL: Warsaw=Warschau, 52.23, 21.01; Łódź=Lodsch, 51.76, 19.46; Kraków=Krakau, 50.06, 19.94
        BR: São Paulo, -23.55, -46.63; Rio de Janeiro, -22.91, -43.17
        IS: Reykjavík, 64.15, -21.94
        BE: Brussels=Brüssel, 50.85, 4.35; Antwerp=Antwerpen, 51.22, 4.40
        AT: Vienna=Wien, 48.21, 16.37; Graz, 47.07, 15.44
        DK: Copenhagen=Kopenhagen, 55.68, 12.57; Århus=Aarhus, 56.16, 10.20
        NO: Oslo, 59.91, 10.75; Tromsø, 69.65, 18.96
        FI: Helsinki, 60.17, 24.94; Turku, 60.45, 22.27
        CZ: Prague=Prag, 50.08, 14.44; Brno=Brünn, 49.20, 16.61
        IE: Dublin, 53.35, -6.26; Cork, 51.90, -8.47
        HK: Hong Kong=Hongkong, 22.32, 114.17
        IN: Mumbai, 19.08, 72.88; Chennai, 13.08, 80.27
        MX: Mexico City=Mexiko-Stadt, 19.43, -99.13; Querétaro, 20.59, -100.39
        KR: Seoul, 37.57, 126.98; Busan, 35.18, 129.08
        TW: Taipei=Taipeh, 25.03, 121.57
        RO: Bucharest=Bukarest, 44.43, 26.10; Timișoara=Temeswar, 45.76, 21.23
        BG: Sofia, 42.70, 23.32; Varna=Warna, 43.21, 27.91
        HU: Budapest, 47.50, 19.04; Pécs=Fünfkirchen, 46.07, 18.23
        GR: Athens=Athen, 37.98, 23.73
        PT: Lisbon=Lissabon, 38.72, -9.14; Porto, 41.15, -8.61
        UA: Kyiv=Kiew, 50.45, 30.52; Lviv=Lemberg, 49.84, 24.03
        RS: Belgrade=Belgrad, 44.79, 20.45; Niš=Nisch, 43.32, 21.90
        HR: Zagreb, 45.81, 15.98; Split, 43.51, 16.44
        SI: Ljubljana=Laibach, 46.06, 14.51
        SK: Bratislava, 48.15, 17.11; Košice=Kaschau, 48.72, 21.26
        EE: Tallinn, 59.44, 24.75
        LV: Riga, 56.95, 24.11
        LT: Vilnius=Wilna, 54.69, 25.28
        LU: Luxembourg=Luxemburg, 49.61, 6.13
        IL: Tel Aviv, 32.09, 34.78
        TR: İstanbul=Istanbul, 41.01, 28.98; Ankara, 39.93, 32.86
        AE: Dubai, 25.20, 55.27
        ZA: Johannesburg, -26.20, 28.05; Cape Town=Kapstadt, -33.92, 18.42
        AR: Buenos Aires, -34.60, -58.38; Córdoba, -31.42, -64.18
        CL: Santiago, -33.45, -70.67; Valparaíso, -33.05, -71.61
        CO: Bogotá, 4.71, -74.07; Medellín, 6.24, -75.58
        PE: Lima, -12.05, -77.04
        CR: San José, 9.93, -84.08
        NZ: Auckland, -36.85, 174.76; Wellington, -41.29, 174.78
        TH: Bangkok, 13.76, 100.50
        VN: Hanoi, 21.03, 105.85; Đà Nẵng=Da Nang, 16.05, 108.20
        MY: Kuala Lumpur, 3.14, 101.69
        PH: Manila, 14.60, 120.98
        ID: Jakarta, -6.21, 106.85
        EG: Cairo=Kairo, 30.04, 31.24
        MA: Casablanca, 33.57, -7.59
        NG: Lagos, 6.52, 3.38
        KE: Nairobi, -1.29, 36.82
        GE: Tbilisi=Tiflis, 41.72, 44.79
        MD: Chișinău=Kischinau, 47.01, 28.86
        AL: Tirana, 41.33, 19.82
        CI: Abidjan, 5.36, -4.01
        KZ: Almaty, 43.24, 76.89
        PK: Karachi=Karatschi, 24.86, 67.00
        BD: Dhaka, 23.81, 90.41
        CY: Nicosia=Nikosia, 35.19, 33.38
        MT: Valletta, 35.90, 14.51
        """
}
