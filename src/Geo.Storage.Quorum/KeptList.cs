namespace Geo.Storage.Quorum;

/// <summary>The value of the register that says which stores keep the register: <see cref="OwnKeys.Stores"/>.</summary>
/// <param name="Stores">The list.</param>
/// <param name="IsSettled">
/// True once every key was written under it, so that the next version may be decided (rule R16); the list that the register began with is.
/// </param>
internal sealed record KeptList(StoreList Stores, bool IsSettled);
