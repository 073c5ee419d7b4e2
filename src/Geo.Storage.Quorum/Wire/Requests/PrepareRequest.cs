namespace Geo.Storage.Quorum;

/// <summary>Promise to accept nothing below the ballot, and say what you have accepted.</summary>
/// <param name="Key">The key.</param>
/// <param name="Ballot">The ballot.</param>
/// <param name="WantsFloor">True where the floor is to be told though something is there.</param>
internal sealed record PrepareRequest(string Key, Ballot Ballot, bool WantsFloor) : KeyRequest(Key);
