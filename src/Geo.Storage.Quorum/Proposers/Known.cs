using System.Collections.Immutable;

namespace Geo.Storage.Quorum;

/// <summary>What a proposer that wrote a key last remembers: a majority has promised it the next ballot.</summary>
/// <param name="Next">The ballot promised; used once.</param>
/// <param name="Tag">The tag of the value written.</param>
/// <param name="IsLive">False where it was a tombstone.</param>
/// <param name="Ancestors">What the value that replaces it names as its ancestors.</param>
internal sealed record Known(Ballot Next, Ballot Tag, bool IsLive, ImmutableArray<Ballot> Ancestors);
