namespace Geo.Consistency;

/// <summary>The head of an instance's updates on their way to the leader; possibly none, to learn the latest version.</summary>
/// <param name="Instance">The instance.</param>
/// <param name="Since">
/// The newest step that it knew to be confirmed when an update of this batch was first sent: no step up to that decided on any of them.
/// </param>
/// <param name="FirstSequence">The sequence number of the first update.</param>
/// <param name="Count">How many updates follow.</param>
/// <param name="Conditional">How many of the last ones are conditional: one group at most.</param>
/// <param name="Base">
/// The version on which they were raised, or the last one shown since that differs from it by the instance's own updates only: between it
/// and them there are the batch's own updates and nothing else, or they must be refused.
/// </param>
/// <param name="Expected">The version on top of which alone they may be applied.</param>
/// <param name="Gaps">Which of the instance's updates are, or may be, in no version.</param>
internal readonly record struct UpdateBatch(
    long Instance, long Since, long FirstSequence, int Count, int Conditional, VersionBase Base, long Expected, UpdateGaps? Gaps = null)
{
    internal long LastSequence => FirstSequence + Count - 1;
}
