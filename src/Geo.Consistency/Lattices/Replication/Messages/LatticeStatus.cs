namespace Geo.Consistency.Lattices;

/// <summary>What a replica has.</summary>
/// <param name="Applied">Of each source, the number up to which it has all updates.</param>
/// <param name="Heard">What it has heard that its receiver has.</param>
/// <param name="Members">The replicas of its cluster.</param>
/// <param name="MustPull">True when it cannot send what the receiver lacks; the receiver is to ask for it.</param>
/// <param name="WantsAnswer">True when it asks whether it was heard.</param>
/// <param name="Clock">Its clock.</param>
internal sealed record LatticeStatus(
    VectorClock Applied, VectorClock Heard, IReadOnlyList<ReplicaId> Members, bool MustPull, bool WantsAnswer, Stamp Clock)
{
    internal void Write(LatticeWriter to)
    {
        Applied.Write(to);
        Heard.Write(to);
        to.Body.WriteUnsigned((ulong)Members.Count);
        foreach (var member in Members)
        {
            to.WriteSource(member);
        }

        to.Body.WriteByte(MustPull ? (byte)1 : (byte)0);
        to.Body.WriteByte(WantsAnswer ? (byte)1 : (byte)0);
        Clock.Write(to);
    }

    internal static LatticeStatus Read(ref LatticeReader from)
    {
        var (applied, heard) = (from.Read<VectorClock>(), from.Read<VectorClock>());
        var members = new ReplicaId[from.Body.ReadCount()];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = from.ReadSource();
        }

        return new(applied, heard, members, from.ReadFlag(), from.ReadFlag(), from.Read<Stamp>());
    }
}
