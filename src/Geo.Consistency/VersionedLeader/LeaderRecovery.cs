using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// A starting leader's question to all other instances (GEO section 3.5: "on startup, the leader can contact all instances and use
/// the latest version found").
/// </summary>
internal static class LeaderRecovery
{
    private static readonly byte[] Question = [(byte)LeaderMessage.Ask];

    /// <summary>Asks all at once; gives the answers that came within the wait.</summary>
    internal static async Task<List<LeaderSnapshot>> AskAsync(
        IReplicaLink link,
        IReadOnlyList<ClusterId> others,
        TimeSpan wait,
        TimeProvider time,
        GrainKey grain,
        ILogger logger,
        CancellationToken stopping)
    {
        var answers = new List<LeaderSnapshot>(others.Count);
        if (others.Count > 0)
        {
            using var limit = new CancellationTokenSource(wait, time);
            using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
            await Task.WhenAll(others.Select(AskOneAsync));

            async Task AskOneAsync(ClusterId other)
            {
                try
                {
                    var reply = await link.RequestAsync(other, Question, activate: false, limit.Token);
                    if (reply.Outcome == ReplyOutcome.Replied)
                    {
                        answers.Add(reply.Payload.IsEmpty ? LeaderSnapshot.Nothing : LeaderSnapshot.Read(reply.Payload[1..]));
                    }
                }
                catch (OperationCanceledException)
                {
                    // It did not answer within the wait; the leader goes on without it.
                }
                catch (GeoSerializationException e)
                {
                    ViewLog.UnreadableNotification(logger, grain, other, e.Message);
                }
            }
        }

        return answers;
    }
}
