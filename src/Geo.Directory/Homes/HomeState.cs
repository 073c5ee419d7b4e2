namespace Geo.Directory;

/// <summary>What is remembered of the home of a grain from one look to the next.</summary>
/// <param name="Wanted">The cluster to which the last look would have moved it; none for nowhere.</param>
/// <param name="Looks">How many looks in a row have wanted it there.</param>
/// <param name="StaysUntil">When it may move at the earliest.</param>
internal readonly record struct HomeState(ClusterId Wanted, int Looks, TimeSpan StaysUntil);
