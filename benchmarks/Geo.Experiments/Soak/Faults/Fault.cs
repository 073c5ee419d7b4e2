using System.Globalization;

namespace Geo.Experiments.Soak.Faults;

/// <summary>One fault of a plan.</summary>
/// <param name="Kind">What happens.</param>
/// <param name="Region">The index of the region that it happens to, where it happens to one.</param>
/// <param name="At">When, from the beginning of the run.</param>
/// <param name="For">For how long.</param>
internal sealed record Fault(FaultKind Kind, int Region, TimeSpan At, TimeSpan For)
{
    /// <summary>Faults of one target do not overlap; those of others may.</summary>
    public string Target => Kind switch
    {
        FaultKind.Kill or FaultKind.Freeze => string.Create(CultureInfo.InvariantCulture, $"region {Region}"),
        FaultKind.Cut or FaultKind.BlackHole => "link",
        _ => "store",
    };

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{At.TotalSeconds:0.0} s: {Kind} of {Target} for {For.TotalSeconds:0.0} s");
}
