namespace Geo.Directory;

/// <summary>What one pass of a drain has found.</summary>
/// <param name="Held">How many rows there were that count; null where they could not be counted.</param>
/// <param name="Why">Why one of them stays; null where none is known to.</param>
internal readonly record struct DrainPass(long? Held, string? Why = null)
{
    /// <summary>Both together. The first reason is told, for the one who reads it works at one thing at a time.</summary>
    public static DrainPass operator +(DrainPass one, DrainPass other) => new(one.Held + other.Held, one.Why ?? other.Why);
}
