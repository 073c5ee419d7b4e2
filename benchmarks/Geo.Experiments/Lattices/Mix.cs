namespace Geo.Experiments.Lattices;

/// <summary>The operations of a load: updates alone, or one of YCSB's mixes (SoCC 2010, Table 2).</summary>
/// <param name="Name">The name.</param>
/// <param name="Updates">How many of 100 operations write; the others read.</param>
/// <param name="Kind">What an operation is.</param>
internal sealed record Mix(string Name, int Updates, MixKind Kind = MixKind.Plain)
{
    // The mean length of YCSB's scans is 50; neighbours here are keys that follow each other.
    private const int ScanLength = 50;

    public static Mix UpdateOnly { get; } = new("updates", 100);

    public static IReadOnlyList<Mix> Ycsb { get; } =
    [
        new("A: 50 % updates", 50), new("B: 5 % updates", 5), new("C: reads", 0),
        new("D: reads of the latest, 5 % inserts", 5, MixKind.Latest),
        new("E: scans of 50, 5 % inserts", 5, MixKind.Scan), new("F: 50 % read, modify, write", 50, MixKind.Modify),
    ];

    /// <summary>One operation.</summary>
    /// <returns>How many updates it made, and something of what it read.</returns>
    public (int Updates, long Seen) Do(IKeyed structure, int thread, int key, int range, Random random)
    {
        var isUpdate = Updates == 100 || (Updates > 0 && random.Next(100) < Updates);
        switch (Kind)
        {
            case MixKind.Scan when !isUpdate:
                var sum = 0L;
                for (var i = 0; i < ScanLength; i++)
                {
                    sum += structure.Read(thread, (key + i) % range);
                }

                return (0, sum);
            case MixKind.Modify when isUpdate:
                var seen = structure.Read(thread, key);
                structure.Update(thread, key);
                return (1, seen);
            default:
                if (!isUpdate)
                {
                    return (0, structure.Read(thread, Kind == MixKind.Latest ? range - 1 - key : key));
                }

                structure.Update(thread, Kind == MixKind.Plain ? key : range - 1 - key);
                return (1, 0);
        }
    }
}
