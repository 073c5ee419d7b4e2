using System.Net;
using System.Text;
using Geo.Testing.Wan;

namespace Geo.Tool.Tests.Kit;

/// <summary>An admin endpoint that gives one answer after the other, and the last one again and again.</summary>
internal sealed class ScriptedEndpoint : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Queue<(HttpStatusCode Status, string Body)> _answers;
    private readonly Task _answering;

    public ScriptedEndpoint(params (HttpStatusCode Status, string Body)[] answers)
    {
        _answers = new(answers);
        Address = new($"http://127.0.0.1:{FreePorts.Take(1)[0]}/");
        _listener.Prefixes.Add(Address.ToString());
        _listener.Start();
        _answering = Task.Run(AnswerAsync);
    }

    public Uri Address { get; }

    /// <summary>How many answers were never asked for.</summary>
    public int Left => _answers.Count;

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _answering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task AnswerAsync()
    {
        var answer = default((HttpStatusCode Status, string Body));
        while (_listener.IsListening)
        {
            var context = await _listener.GetContextAsync();
            answer = _answers.TryDequeue(out var next) ? next : answer;
            context.Response.StatusCode = (int)answer.Status;
            context.Response.ContentType = "application/json";
            context.Response.Close(Encoding.UTF8.GetBytes(answer.Body), willBlock: true);
        }
    }
}
