using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// Asks other instances to write for this one, or for the latest version, and waits for answers as long as such answers take, not for
/// ever. Several questions may be on their way, each with all that the one before had asked for.
/// </summary>
internal sealed class HandInAsker(IReplicaLink link, GrainKey key, BatchedCasOptions options, TimeProvider time, ILogger logger)
{
    // What is queued while so many are on their way waits for the first answer.
    private const int MaxQuestions = 4;

    // As many times as the last one took may the next one take.
    private const int Slack = 4;

    private readonly List<Question> _questions = [];
    private TimeSpan _patience = options.HandInWait;

    /// <summary>The answers that have not been looked at.</summary>
    internal List<(HandInQuestion Asked, HandInReply Reply)> Replies { get; } = [];

    /// <summary>Who is to be asked next instead of who wrote last; nobody unless somebody has named one.</summary>
    internal CasWriter Hint { get; set; }

    /// <summary>How often one asked has named another, in a row.</summary>
    internal int Hops { get; set; }

    internal bool IsWaiting => _questions.Count > 0;

    internal bool HasRoom => _questions.Count < MaxQuestions;

    /// <summary>Updates up to this number are on their way; 0 for none.</summary>
    internal long Through => _questions.Count == 0 ? 0 : _questions.Max(q => q.Through);

    /// <summary>The last operation that is on its way; 0 for none.</summary>
    internal long Operation => _questions.Count == 0 ? 0 : _questions.Max(q => q.Operation);

    /// <summary>Asks; the answer may be that there was none in time.</summary>
    /// <param name="to">Whom to ask.</param>
    /// <param name="message">The question.</param>
    /// <param name="through">The number of the last update that is handed in; 0 when a version alone is asked for.</param>
    /// <param name="operation">The number of the operation that it is.</param>
    /// <param name="takes">How long an own storage operation takes: that of the one asked may.</param>
    /// <param name="stopping">Ends the wait with an <see cref="OperationCanceledException"/>.</param>
    internal async Task<HandInReply> AskAsync(
        ClusterId to, ReadOnlyMemory<byte> message, long through, long operation, TimeSpan takes, CancellationToken stopping)
    {
        var began = time.GetTimestamp();
        Wait(Slack * takes > _patience ? Slack * takes : _patience);
        var patience = _patience;
        using var limit = new CancellationTokenSource(patience, time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        var question = new Question(through, operation, limit);
        _questions.Add(question);
        try
        {
            var reply = await link.RequestAsync(key, to, message, activate: false, limit.Token);
            stopping.ThrowIfCancellationRequested();
            var read = Read(reply);
            Learn(read.Told is not null, reply.Outcome == ReplyOutcome.Unknown, time.GetElapsedTime(began), patience);
            return read;
        }
        catch (OperationCanceledException) when (!stopping.IsCancellationRequested)
        {
            Learn(question.IsAnswered, isSilent: true, time.GetElapsedTime(began), patience);
            return HandInReply.None;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            ViewLog.UnreadableNotification(logger, key, to, e.Message);
            return HandInReply.None;
        }
        finally
        {
            _questions.Remove(question);
        }
    }

    /// <summary>The instance knows more: it need not wait any longer for updates that are decided.</summary>
    internal void Look(long resolvedThrough)
    {
        if (_questions.Count == 0)
        {
            return;
        }

        foreach (var question in _questions.Where(q => q.Through > 0 && q.Through <= resolvedThrough && !q.IsAnswered).ToArray())
        {
            question.IsAnswered = true;
            question.Limit.Cancel();
        }
    }

    /// <param name="isAnswered">True when it was of use.</param>
    /// <param name="isSilent">True when nobody answered.</param>
    /// <param name="took">How long it took.</param>
    /// <param name="patience">How long it was waited for: several that end in silence together are one failure.</param>
    private void Learn(bool isAnswered, bool isSilent, TimeSpan took, TimeSpan patience)
    {
        if (isAnswered)
        {
            Wait(Slack * took);
        }
        else if (isSilent)
        {
            Wait(2 * patience);
        }
    }

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

    private sealed record Question(long Through, long Operation, CancellationTokenSource Limit)
    {
        internal bool IsAnswered { get; set; }
    }
}
