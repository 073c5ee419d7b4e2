using System.Text.Json.Serialization;

namespace Geo.Administration;

/// <summary>Something that happened to where a single-instance grain is.</summary>
/// <param name="At">When, by the clock of the silo that did it.</param>
/// <param name="Grain">The grain.</param>
/// <param name="Kind">What: Acquired, TakenOver, Migrated, BecameDoubtful, Resolved, MovedAway, Released, GaveWay, or Lost.</param>
/// <param name="Told">The cluster whose silo did it, and tells it.</param>
/// <param name="From">Where its instance was before; null for nowhere that the silo knows of.</param>
/// <param name="To">Where it is from then on; null for nowhere.</param>
/// <param name="Why">Why, for people.</param>
internal sealed record MoveView(
    DateTimeOffset At, string Grain, string Kind, string Told, PlaceView? From, PlaceView? To, string Why)
{
    /// <summary>True when a sound silo may have said it.</summary>
    [JsonIgnore]
    public bool IsWhole =>
        Grain is not null && Kind is not null && Told is not null && Why is not null && From is null or { Cluster: not null }
        && To is null or { Cluster: not null };
}
