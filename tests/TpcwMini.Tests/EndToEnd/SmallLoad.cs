namespace TpcwMini.Tests.EndToEnd;

/// <summary>A load that runs for a few seconds on any machine and still sells items out.</summary>
internal static class SmallLoad
{
    public static readonly string[] Options =
        ["--robots", "60", "--items", "12", "--warmup", "0", "--rtt", "20", "--store-near", "1", "--store-far", "10", "--store-ops", "500"];
}
