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

    public Acceptors(
        QuorumConfiguration configuration, IClusterMessenger messenger, QuorumAcceptor? local, QuorumStoreOptions options,
        ILogger logger)
    {
        (Configuration, _messenger, _local, _options, _logger) = (configuration, messenger, local, options, logger);
        _handling = local is null ? null : messenger.Handle(options.Service!, AnswerAsync);
    }

    public QuorumConfiguration Configuration { get; }

    public void Dispose() => _handling?.Dispose();

    /// <summary>Asks all acceptors and waits until enough have answered, or none more will. Never throws but for the token.</summary>
    public async Task<Answers> AskAsync(QuorumRequest request, Func<Answers, bool> isEnough, CancellationToken cancellationToken)
    {
        var question = new Question(Configuration, isEnough);
        var payload = QuorumCodec.Write(request);
        foreach (var acceptor in Configuration.Acceptors)
        {
            _ = question.TakeAsync(AskOneAsync(acceptor, request, payload, cancellationToken));
        }

        await Patience.EndAsync(question.Enough).WaitAsync(cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        return question.Close();
    }

    private async Task<QuorumReply?> AskOneAsync(ClusterId acceptor, QuorumRequest request, byte[] payload, CancellationToken cancellationToken)
    {
        try
        {
            if (acceptor == _messenger.LocalCluster && _local is not null)
            {
                return await _local.AnswerAsync(request, cancellationToken);
            }

            var reply = await _messenger.RequestAsync(
                acceptor, _options.Service!, payload,
                new MessageOptions(_options.Channel, Timeout: _options.RequestTimeout), cancellationToken);
            return reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty ? QuorumCodec.ReadReply(reply.Payload.Span) : null;
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
        var reply = await _local!.AnswerAsync(QuorumCodec.ReadRequest(message.Payload.Span), cancellationToken);
        return reply is null ? default : QuorumCodec.Write(reply);
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
