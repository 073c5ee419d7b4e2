namespace Geo.Testing;

/// <summary>What happens in a <see cref="ViewRun"/>.</summary>
internal enum ViewStory
{
    /// <summary>Faults come and go, of the kinds that the seed has.</summary>
    Faults,

    /// <summary>Nothing fails; silos are stopped in good order and started again, one after the other: nothing may be lost.</summary>
    Restarts,

    /// <summary>
    /// Faults, and halfway all silos end and the store goes back to a backup: what is confirmed from then on may not be lost.
    /// </summary>
    SetBack,

    /// <summary>Three clusters, in a network that falls apart in one way after another.</summary>
    Islands,

    /// <summary>
    /// The list of clusters changes: one cluster after another restarts under the new one, while the others go by the one before.
    /// </summary>
    RollOut,
}
