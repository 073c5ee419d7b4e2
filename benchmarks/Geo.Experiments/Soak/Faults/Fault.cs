using System.Globalization;

namespace Geo.Experiments.Soak.Faults;

/// <summary>One fault of a plan.</summary>
/// <param name="Kind">What happens.</param>
/// <param name="Region">The index of the region that it happens to, where it happens to one.</param>
/// <param name="At">When, from the beginning of the run.</param>
/// <param name="For">For how long.</param>
internal sealed record Fault(FaultKind Kind, int Region, TimeSpan At, TimeSpan For)
{
    /// <summary>The target of the store's faults.</summary>
    public const string Store = "store";

    /// <summary>Faults of one target do not overlap; those of others may.</summary>
    public string Target => Kind switch
    {
        FaultKind.Kill or FaultKind.Freeze => TargetOf(Region),
        FaultKind.Cut or FaultKind.BlackHole => "link",
        _ => Store,
    };

    /// <summary>The target of a region's faults.</summary>
    public static string TargetOf(int region) => string.Create(CultureInfo.InvariantCulture, $"region {region}");

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{At.TotalSeconds:0.0} s: {Kind} of {Target} for {For.TotalSeconds:0.0} s");
}
