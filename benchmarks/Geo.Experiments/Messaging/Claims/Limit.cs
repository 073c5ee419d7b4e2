using System.Globalization;

namespace Geo.Experiments.Messaging.Claims;

/// <summary>What a measured ratio must reach or must not exceed.</summary>
/// <param name="Value">The limit itself, which still meets it.</param>
/// <param name="IsUpper">True when the ratio must not exceed it.</param>
internal readonly record struct Limit(double Value, bool IsUpper)
{
    public static Limit AtLeast(double value) => new(value, false);

    public static Limit AtMost(double value) => new(value, true);

    public bool IsMetBy(double value) => IsUpper ? value <= Value : value >= Value;

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{(IsUpper ? "at most" : "at least")} {Value:0.00}");
}
