namespace Geo.Experiments.Regions;

/// <summary>How a region is cut off while all are called.</summary>
/// <param name="Region">The region.</param>
/// <param name="Ledgers">How many each region has the instances of; as many more are called first after the cut, and after its end.</param>
/// <param name="Before">How long all are called before the cut.</param>
/// <param name="Cut">How long it lasts.</param>
/// <param name="After">How long they are called after it.</param>
internal sealed record CutPlan(string Region, int Ledgers, TimeSpan Before, TimeSpan Cut, TimeSpan After)
{
    /// <summary>How soon a region that is cut off serves nobody any more: a lease by default.</summary>
    public static readonly TimeSpan Lease = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long after the cut the region may take to write all its keys again: instances that lost their lease while a call ran on them are
    /// given up <c>DeactivationTimeout</c> (10 s) after the region has found that out.
    /// </summary>
    public static readonly TimeSpan BackWithin = TimeSpan.FromSeconds(15);

    /// <summary>How soon every key can be written again in the other regions, and no call of them fails any more.</summary>
    public TimeSpan WritableWithin { get; init; } = TimeSpan.FromSeconds(5);

    public IReadOnlyList<string> Owned { get; } =
        [.. Distances.Regions.SelectMany(region => Enumerable.Range(0, Ledgers).Select(i => KeyOf(region, i)))];

    /// <summary>The keys that nobody calls before the cut.</summary>
    public IReadOnlyList<string> Unused { get; } = [.. Enumerable.Range(0, Ledgers).Select(i => KeyOf("unused", i))];

    /// <summary>The keys that nobody calls before the region has come back, which is the first to call them.</summary>
    public IReadOnlyList<string> Late { get; } = [.. Enumerable.Range(0, Ledgers).Select(i => KeyOf("late", i))];

    /// <summary>The keys that a region is to have before the cut.</summary>
    public static string[] KeysOf(string region, int ledgers) => [.. Enumerable.Range(0, ledgers).Select(i => KeyOf(region, i))];

    private static string KeyOf(string group, int i) => $"{group}-{i}";
}
