namespace Geo.Storage.Quorum.Tests;

/// <summary>One world of the random schedules.</summary>
/// <param name="Acceptors">How many clusters keep values.</param>
/// <param name="Silos">How many silos each has.</param>
/// <param name="HasFaults">Messages lost, repeated and late; stores lost, late; cuts; crashes.</param>
/// <param name="LosesAStore">One cluster's own store is replaced by an empty one, once.</param>
/// <param name="PreparesWrites">Some reads ready the write that follows them.</param>
/// <param name="Spares">How many clusters more may keep values; with any of them clusters come and go while clients call.</param>
/// <param name="GivesUp">
/// How many clusters, half of them at most, stop for ever and are given up by force; later they return with what they kept.
/// </param>
internal sealed record QuorumSetting(
    int Acceptors, int Silos, bool HasFaults, bool LosesAStore = false, bool PreparesWrites = false, int Spares = 0,
    int GivesUp = 0)
{
    public bool Changes => Spares > 0;

    public static readonly IReadOnlyDictionary<string, QuorumSetting> All = new Dictionary<string, QuorumSetting>
    {
        ["one"] = new(1, 2, HasFaults: true),
        ["two"] = new(2, 1, HasFaults: true),
        ["three"] = new(3, 1, HasFaults: true),
        ["three of two silos"] = new(3, 2, HasFaults: true),
        ["three of two silos, writes prepared"] = new(3, 2, HasFaults: true, PreparesWrites: true),
        ["five"] = new(5, 1, HasFaults: true),
        ["three, a store lost"] = new(3, 1, HasFaults: true, LosesAStore: true),
        ["calm"] = new(3, 1, HasFaults: false),
        ["one that changes"] = new(1, 1, HasFaults: true, Spares: 2),
        ["two that change"] = new(2, 2, HasFaults: true, Spares: 1),
        ["three that change"] = new(3, 1, HasFaults: true, Spares: 2),
        ["three of two silos that change"] = new(3, 2, HasFaults: true, Spares: 2),
        ["three that change, a store lost"] = new(3, 1, HasFaults: true, LosesAStore: true, Spares: 1),
        ["two, one given up"] = new(2, 2, HasFaults: true, GivesUp: 1),
        ["four, two given up"] = new(4, 1, HasFaults: true, GivesUp: 2),
        ["six, three given up"] = new(6, 1, HasFaults: true, GivesUp: 3),
        ["calm, changing"] = new(3, 2, HasFaults: false, Spares: 1),
    };
}
