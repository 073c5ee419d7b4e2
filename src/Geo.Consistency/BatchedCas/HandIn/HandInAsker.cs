using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>Asks other instances to write for this one, and waits for an answer as long as such answers take, not for ever.</summary>
internal sealed class HandInAsker(IReplicaLink link, GrainKey key, BatchedCasOptions options, TimeProvider time, ILogger logger)
{
    // As many times as the last one took may the next one take.
    private const int Slack = 4;

    private TimeSpan _patience = options.HandInWait;
    private CancellationTokenSource? _waiting;
    private long _through;

    internal bool IsWaiting => _waiting is not null;

    /// <summary>Hands updates in; the answer may be that there was none in time.</summary>
    /// <param name="to">Whom to ask.</param>
    /// <param name="message">The updates.</param>
    /// <param name="through">The number of the last one.</param>
    /// <param name="operation">How long an own storage operation takes: that of the one asked may.</param>
    /// <param name="stopping">Ends the wait with an <see cref="OperationCanceledException"/>.</param>
    internal async Task<HandInReply> AskAsync(
        ClusterId to, ReadOnlyMemory<byte> message, long through, TimeSpan operation,
        CancellationToken stopping)
    {
        var began = time.GetTimestamp();
        Wait(Slack * operation > _patience ? Slack * operation : _patience);
        using var limit = new CancellationTokenSource(_patience, time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        (_waiting, _through) = (limit, through);
        try
        {
            var reply = await link.RequestAsync(to, message, activate: false, limit.Token);
            stopping.ThrowIfCancellationRequested();
            var read = Read(reply);
            if (read.Told is not null)
            {
                Took(time.GetElapsedTime(began));
            }
            else if (reply.Outcome == ReplyOutcome.Unknown)
            {
                Wait(2 * _patience);
            }

            return read;
        }
        catch (OperationCanceledException) when (!stopping.IsCancellationRequested)
        {
            if (_through == 0)
            {
                Took(time.GetElapsedTime(began));
            }
            else
            {
                Wait(2 * _patience);
            }

            return HandInReply.None;
        }
        finally
        {
            _waiting = null;
        }
    }

    /// <summary>The instance knows more: it need not wait any longer when what it has handed in is decided.</summary>
    internal void Look(long resolvedThrough)
    {
        if (resolvedThrough >= _through)
        {
            _through = 0;
            _waiting?.Cancel();
        }
    }

    private void Took(TimeSpan duration) => Wait(Slack * duration);

    private void Wait(TimeSpan duration) => _patience =
        duration < options.HandInWait ? options.HandInWait
        : duration > options.StorageTimeout ? options.StorageTimeout
        : duration;

    private HandInReply Read(ClusterReply reply)
    {
        if (reply.Outcome != ReplyOutcome.Replied || reply.Payload.IsEmpty)
        {
            return HandInReply.None;
        }

        try
        {
            var answer = (HandInAnswer)reply.Payload.Span[0];
            switch (answer)
            {
                case HandInAnswer.Written or HandInAnswer.See:
                    var told = CasNotification.Read(reply.Payload[1..]);
                    return new(answer, told with { Value = told.Value.ToArray() }, default);
                case HandInAnswer.NotWriter:
                    var reader = new PayloadReader(reply.Payload.Span[1..]);
                    return new(answer, null, CasMessages.ReadWriter(ref reader));
                default:
                    return HandInReply.None;
            }
        }
        catch (GeoSerializationException e)
        {
            ViewLog.UnreadableNotification(logger, key, default, e.Message);
            return HandInReply.None;
        }
    }
}
