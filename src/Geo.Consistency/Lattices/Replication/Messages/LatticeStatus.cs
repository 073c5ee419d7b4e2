namespace Geo.Consistency.Lattices;

/// <summary>What a replica has.</summary>
/// <param name="Applied">Of each source, the number up to which it has all updates, and has put none aside.</param>
/// <param name="Beyond">Of sources of which it has put something aside, the number up to which it has the others.</param>
/// <param name="Received">The number up to which its receiver need not send its updates to it any more.</param>
/// <param name="Heard">What it has heard that its receiver has.</param>
/// <param name="HeardBeyond">The same beyond what the receiver had put aside.</param>
/// <param name="Members">The replicas of its cluster.</param>
/// <param name="Everyone">Stands for the replicas that it knows, itself included (<see cref="LatticePeers.Everyone"/>).</param>
/// <param name="Flags">What it says of itself.</param>
/// <param name="Ask">The number of an asking whether it was heard; 0 when it does not ask.</param>
/// <param name="Answers">The last asking of its receiver that it has heard.</param>
/// <param name="Lacking">The grains of which it has put something aside.</param>
internal sealed record LatticeStatus(
    VectorClock Applied, VectorClock Beyond, long Received, VectorClock Heard, VectorClock HeardBeyond, IReadOnlyList<ReplicaId> Members,
    ulong Everyone, LatticeStatusFlags Flags, long Ask, long Answers, LatticeLacking Lacking)
{
    internal bool Is(LatticeStatusFlags flag) => (Flags & flag) != 0;

    internal void Write(LatticeWriter to)
    {
        Applied.Write(to);
        Beyond.Write(to);
        to.Body.WriteUnsigned((ulong)Received);
        Heard.Write(to);
        HeardBeyond.Write(to);
        to.Body.WriteUnsigned((ulong)Members.Count);
        foreach (var member in Members)
        {
            to.WriteSource(member);
        }

        to.Body.WriteUnsigned(Everyone);
        to.Body.WriteByte((byte)Flags);
        to.Body.WriteUnsigned((ulong)Ask);
        to.Body.WriteUnsigned((ulong)Answers);
        Lacking.Write(to);
    }

    internal static LatticeStatus Read(ref LatticeReader from)
    {
        var (applied, beyond, received) = (from.Read<VectorClock>(), from.Read<VectorClock>(), from.ReadNumber());
        var (heard, heardBeyond) = (from.Read<VectorClock>(), from.Read<VectorClock>());
        var members = new ReplicaId[from.Body.ReadCount()];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = from.ReadSource();
        }

        return new(applied, beyond, received, heard, heardBeyond, members, from.Body.ReadUnsigned(),
            (LatticeStatusFlags)from.Body.ReadByte(), from.ReadNumber(), from.ReadNumber(), LatticeLacking.Read(ref from));
    }
}
