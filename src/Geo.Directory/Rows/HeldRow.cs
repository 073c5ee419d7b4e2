namespace Geo.Directory;

/// <summary>
/// A row of this cluster under which this silo has let an instance run. Only what this silo has written itself counts: an Owned row that
/// it merely finds, from before a restart or a release of unknown outcome, may still be deleted by a late write, and is therefore
/// written anew before an instance relies on it.
/// </summary>
/// <param name="RowKey">The row's key in the store.</param>
/// <param name="Epoch">The tenancy.</param>
/// <param name="ETag">The version last seen.</param>
/// <param name="Placement">Here, at the node of the instance.</param>
/// <param name="IsOwned">Whether exclusive ownership was established when it was last seen.</param>
internal sealed record HeldRow(string RowKey, long Epoch, ETag? ETag, Placement Placement, bool IsOwned);
