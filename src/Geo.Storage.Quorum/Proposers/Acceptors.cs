using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>Asks the acceptors of a configuration, all at once, and answers for the one of this cluster.</summary>
internal sealed class Acceptors : IDisposable
{
    private readonly IClusterMessenger _messenger;
    private readonly QuorumAcceptor? _local;
    private readonly QuorumStoreOptions _options;
    private readonly ILogger _logger;
    private readonly IDisposable? _handling;
    private readonly ulong _digest;

    // The clusters with another configuration, by their own words, so that each is told of once.
    private readonly ConcurrentDictionary<ClusterId, string> _strangers = new();

    public Acceptors(
        QuorumConfiguration configuration, IClusterMessenger messenger, QuorumAcceptor? local, QuorumStoreOptions options,
        ILogger logger)
    {
        (Configuration, _messenger, _local, _options, _logger) = (configuration, messenger, local, options, logger);
        _digest = configuration.Digest;
        _handling = local is null ? null : messenger.Handle(options.Service!, AnswerAsync);
    }

    public QuorumConfiguration Configuration { get; }

    /// <summary>The clusters that answered last from another configuration; empty where none did.</summary>
    public string Strangers => _strangers.IsEmpty ? "" : string.Concat(
        _strangers.OrderBy(s => s.Key).Select(s => $" Cluster {s.Key} does not count, for it keeps the store for {s.Value}."));

    public void Dispose() => _handling?.Dispose();

    /// <summary>Asks all acceptors and waits until enough have answered, or none more will. Never throws but for the token.</summary>
    public async Task<Answers> AskAsync(QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var question = new Question(Configuration, isEnough);
        var payload = QuorumCodec.Write(_digest, request);
        foreach (var acceptor in Configuration.Acceptors)
        {
            _ = question.TakeAsync(AskOneAsync(acceptor, request, payload, cancellationToken));
        }

        await Patience.EndAsync(question.Enough).WaitAsync(cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        return question.Close();
    }

    private async Task<QuorumReply?> AskOneAsync(
        ClusterId acceptor, QuorumRequest request, byte[] payload, CancellationToken cancellationToken)
    {
        try
        {
            if (acceptor == _messenger.LocalCluster && _local is not null)
            {
                return await _local.AnswerAsync(request, cancellationToken);
            }

            var timeout = request is ListRequest ? _options.PageTimeout : _options.RequestTimeout;
            var reply = await _messenger.RequestAsync(
                acceptor, _options.Service!, payload, new MessageOptions(_options.Channel, Timeout: timeout), cancellationToken);
            return reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty
                ? Counted(acceptor, QuorumCodec.ReadReply(reply.Payload.Span))
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

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        // What was asked is carried out to its end, whoever still waits: a step that is left half done would only be asked for again.
        var (configuration, request) = QuorumCodec.ReadRequest(message.Payload.Span);
        var reply = configuration == _digest
            ? await _local!.AnswerAsync(request, cancellationToken)
            : new StrangerReply(Configuration.InWords);
        return reply is null ? default : QuorumCodec.Write(reply);
    }

    private QuorumReply? Counted(ClusterId acceptor, QuorumReply reply)
    {
        if (reply is not StrangerReply stranger)
        {
            _strangers.TryRemove(acceptor, out _);
            return reply;
        }

        if (_strangers.TryAdd(acceptor, stranger.Configuration))
        {
            _logger.OtherConfiguration(_options.Service!, Configuration.InWords, acceptor, stranger.Configuration);
        }

        return null;
    }

    private sealed class Question(QuorumConfiguration configuration, Func<Answers, bool> isEnough)
    {
        private readonly Lock _gate = new();
        private readonly Answers _answers = new(configuration);
        private readonly TaskCompletionSource _enough = new();
        private bool _closed;

        public Task Enough => _enough.Task;

        public async Task TakeAsync(Task<QuorumReply?> asked)
        {
            var reply = await asked;
            bool enough;
            lock (_gate)
            {
                if (_closed)
                {
                    return;
                }

                _answers.Take(reply);
                enough = _answers.IsComplete || isEnough(_answers);
            }

            if (enough)
            {
                _enough.TrySetResult();
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
