namespace Geo.Consistency.Lattices;

/// <summary>What a replica has.</summary>
/// <param name="Applied">Of each source, the number up to which it has all updates, and has put none aside.</param>
/// <param name="Received">The number up to which its receiver need not send its updates to it any more.</param>
/// <param name="Heard">What it has heard that its receiver has.</param>
/// <param name="Members">The replicas of its cluster.</param>
/// <param name="MustPull">True when it cannot send what the receiver lacks; the receiver is to ask for it.</param>
/// <param name="Ask">The number of an asking whether it was heard; 0 when it does not ask.</param>
/// <param name="Answers">The last asking of its receiver that it has heard.</param>
/// <param name="Clock">Its clock.</param>
/// <param name="Lacking">The grains of which it has put something aside.</param>
internal sealed record LatticeStatus(
    VectorClock Applied, long Received, VectorClock Heard, IReadOnlyList<ReplicaId> Members, bool MustPull, long Ask, long Answers,
    Stamp Clock, LatticeLacking Lacking)
{
    internal void Write(LatticeWriter to)
    {
        Applied.Write(to);
        to.Body.WriteUnsigned((ulong)Received);
        Heard.Write(to);
        to.Body.WriteUnsigned((ulong)Members.Count);
        foreach (var member in Members)
        {
            to.WriteSource(member);
        }

        to.Body.WriteByte(MustPull ? (byte)1 : (byte)0);
        to.Body.WriteUnsigned((ulong)Ask);
        to.Body.WriteUnsigned((ulong)Answers);
        Clock.Write(to);
        Lacking.Write(to);
    }

    internal static LatticeStatus Read(ref LatticeReader from)
    {
        var (applied, received, heard) = (from.Read<VectorClock>(), from.ReadNumber(), from.Read<VectorClock>());
        var members = new ReplicaId[from.Body.ReadCount()];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = from.ReadSource();
        }

        return new(applied, received, heard, members, from.ReadFlag(), from.ReadNumber(), from.ReadNumber(), from.Read<Stamp>(),
            LatticeLacking.Read(ref from));
    }
}
