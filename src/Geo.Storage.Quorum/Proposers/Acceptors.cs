using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>Asks the acceptors of a configuration, all at once, and answers for the one of this cluster.</summary>
internal sealed class Acceptors : IDisposable
{
    private readonly IClusterMessenger _messenger;
    private readonly QuorumAcceptor? _local;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Strangers _strangers;
    private readonly IDisposable? _handling;
    private readonly AnswerTimes _times;
    private StoreList? _founded;

    public Acceptors(
        QuorumConfiguration configuration, IClusterMessenger messenger, QuorumAcceptor? local, QuorumStoreOptions options,
        TimeProvider time, ILogger logger)
    {
        (Configuration, _messenger, _local, _options, _time, _logger) = (configuration, messenger, local, options, time, logger);
        _strangers = new(configuration, options.Service!, logger);
        _times = new(time);
        _handling = local is null ? null : messenger.Handle(options.Service!, AnswerAsync);
    }

    public QuorumConfiguration Configuration { get; }

    /// <summary>How long a majority usually takes to answer; nothing where no majority has answered yet.</summary>
    public TimeSpan Trip => _times.Of(Configuration.Majority);

    /// <summary>Why some acceptors do not count; empty where all do that have answered.</summary>
    public string Strangers => _strangers.ToString();

    public void Dispose() => _handling?.Dispose();

    /// <summary>Asks all acceptors and waits until enough have answered, or none more will. Never throws but for the token.</summary>
    public async Task<Answers> AskAsync(QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var stores = _founded ?? await FoundAsync(cancellationToken);
        return await AskAsync(stores.Digest, request, isEnough, cancellationToken);
    }

    /// <summary>Waits until a majority keeps one list of stores: the very first time all acceptors must have been there (R5).</summary>
    private async Task<StoreList> FoundAsync(CancellationToken cancellationToken)
    {
        QuorumRequest request = new MeetRequest();
        for (var asked = 1; ; asked++)
        {
            var answers = await AskAsync(0, request, a => FoundingOf(a).Adopted is not null, cancellationToken);
            var founding = FoundingOf(answers);
            if (founding.Adopted is { } adopted)
            {
                return _founded = adopted;
            }

            request = founding.Offered is { } offered ? new FoundRequest(Configuration.InWords, offered) : new MeetRequest();
            await Task.Delay(BackOff.Doubled(asked, _options.MinBackoff, _options.MaxBackoff), _time, cancellationToken);
        }
    }

    private Founding FoundingOf(Answers answers) => Founding.Of(Configuration, [.. answers.Replies.OfType<MetReply>()]);

    private async Task<Answers> AskAsync(
        ulong stores, QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var (question, asked) = (new Question(Configuration, isEnough), _time.GetTimestamp());
        var payload = QuorumCodec.Write(stores, request);
        foreach (var acceptor in Configuration.Acceptors)
        {
            _ = question.TakeAsync(acceptor, AskOneAsync(acceptor, stores, request, payload, cancellationToken));
        }

        await Task.WhenAny(question.Enough, question.Refused).WaitAsync(cancellationToken);
        if (!question.Enough.IsCompleted)
        {
            await question.Enough.EndsWithinAsync(PatienceWith(question.Outstanding, asked), _time, cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return question.Close();
    }

    /// <summary>
    /// How long those are waited for that have not answered, when another one has refused: they may make up a majority without that one.
    /// An acceptor that owes an answer for much longer than it uses to take may be cut off, which nobody has noticed yet: who is refused
    /// gets on by the next ballot, and not by waiting for it.
    /// </summary>
    private TimeSpan PatienceWith(IEnumerable<ClusterId> outstanding, long asked) =>
        outstanding.Select(acceptor => _times.LeftOf(acceptor, asked) ?? _options.RequestTimeout).DefaultIfEmpty().Max();

    private async Task<QuorumReply?> AskOneAsync(
        ClusterId acceptor, ulong stores, QuorumRequest request, byte[] payload, CancellationToken cancellationToken)
    {
        var asked = _times.Asked(acceptor);
        try
        {
            if (acceptor == _messenger.LocalCluster && _local is not null)
            {
                return Counted(acceptor, request, await _local.AnswerAsync(stores, request, cancellationToken), asked);
            }

            var timeout = request is ListRequest ? _options.PageTimeout : _options.RequestTimeout;
            var reply = await _messenger.RequestAsync(
                acceptor, _options.Service!, payload, new MessageOptions(_options.Channel, Timeout: timeout), cancellationToken);
            return reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty
                ? Counted(acceptor, request, QuorumCodec.ReadReply(reply.Payload.Span), asked)
                : null;
        }
        catch (OperationCanceledException)
        {
            return null;
        }
        catch (Exception e)
        {
            // Whatever it is: an answer that does not come, and is counted as such.
            _logger.AcceptorFailed(acceptor, e);
            return null;
        }
    }

    private QuorumReply? Counted(ClusterId acceptor, QuorumRequest request, QuorumReply? reply, long asked)
    {
        if (reply is not null)
        {
            _times.Answered(acceptor, asked, isOneStep: request is KeyRequest && reply is not MetReply);
        }

        if (reply is not MetReply met)
        {
            _strangers.Clear(acceptor);
            return reply;
        }

        var isLate = _strangers.Judge(met, _founded);
        if (request is MeetRequest or FoundRequest)
        {
            return reply;
        }

        if (isLate)
        {
            var offer = new FoundRequest(Configuration.InWords, _founded!);
            _ = AskOneAsync(acceptor, 0, offer, QuorumCodec.Write(0, offer), CancellationToken.None);
        }

        return null;
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        // What was asked is carried out to its end, whoever still waits: a step that is left half done would only be asked for again.
        var (stores, request) = QuorumCodec.ReadRequest(message.Payload.Span);
        var reply = await _local!.AnswerAsync(stores, request, cancellationToken);
        return reply is null ? default : QuorumCodec.Write(reply);
    }

    private sealed class Question(QuorumConfiguration configuration, Func<Answers, bool> isEnough)
    {
        private readonly Lock _gate = new();
        private readonly Answers _answers = new(configuration);
        private readonly List<ClusterId> _outstanding = [.. configuration.Acceptors];
        private readonly TaskCompletionSource _enough = new();
        private readonly TaskCompletionSource _refused = new();
        private bool _closed;

        public Task Enough => _enough.Task;

        /// <summary>Ends when one has refused.</summary>
        public Task Refused => _refused.Task;

        /// <summary>Who has not answered yet.</summary>
        public IReadOnlyList<ClusterId> Outstanding
        {
            get
            {
                lock (_gate)
                {
                    return [.. _outstanding];
                }
            }
        }

        public async Task TakeAsync(ClusterId acceptor, Task<QuorumReply?> asked)
        {
            var reply = await asked;
            bool enough;
            lock (_gate)
            {
                if (_closed)
                {
                    return;
                }

                _outstanding.Remove(acceptor);
                _answers.Take(reply);
                enough = _answers.IsComplete || isEnough(_answers);
            }

            if (enough)
            {
                _enough.TrySetResult();
            }
            else if (reply is RefusedReply)
            {
                _refused.TrySetResult();
            }
        }

        public Answers Close()
        {
            lock (_gate)
            {
                _closed = true;
                return _answers;
            }
        }
    }
}
