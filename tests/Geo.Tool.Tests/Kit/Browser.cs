using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.WebSockets;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Geo.Tool.Tests.Kit;

/// <summary>Headless Chromium (Debian's package <c>chromium</c>) with one page, driven over its DevTools protocol.</summary>
internal sealed class Browser : IAsyncDisposable
{
    private const string Program = "/usr/bin/chromium";
    private const string Listening = "DevTools listening on ";
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    // Ends with this process, whatever becomes of it: its input then ends.
    private const string Guard = "\"$@\" & browser=$!; cat > /dev/null; kill $browser; wait $browser";

    private readonly string _folder;
    private readonly Process _process;
    private readonly ClientWebSocket _socket = new();
    private readonly ConcurrentDictionary<int, TaskCompletionSource<JsonNode?>> _asked = new();
    private readonly ConcurrentQueue<string> _complaints = [];
    private readonly ConcurrentQueue<string> _loaded = [];
    private readonly CancellationTokenSource _ended = new();
    private readonly SemaphoreSlim _sending = new(1);
    private Task _receiving = Task.CompletedTask;
    private string? _session;
    private int _number;

    private Browser(string folder, Process process) => (_folder, _process) = (folder, process);

    /// <summary>Why there is none on this machine; null where there is one.</summary>
    public static string? Absence =>
        File.Exists(Program) ? null : $"Chromium is not installed ({Program} is not there): install the package chromium.";

    /// <summary>What pages complained of: exceptions, errors of loading, what their policy forbade.</summary>
    public IReadOnlyCollection<string> Complaints => _complaints;

    /// <summary>The addresses that pages asked for.</summary>
    public IReadOnlyCollection<string> Loaded => _loaded;

    /// <summary>Starts the browser with an empty page.</summary>
    public static async Task<Browser> StartAsync(int width, int height)
    {
        var folder = System.IO.Directory.CreateTempSubdirectory("geo-browser-").FullName;
        var start = new ProcessStartInfo("sh", [
            "-c", Guard, "sh", Program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--hide-scrollbars", "--remote-debugging-port=0", $"--user-data-dir={folder}",
            $"--window-size={width},{height}", "about:blank"])
        {
            RedirectStandardInput = true,
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        };
        var browser = new Browser(folder, Process.Start(start)!);
        try
        {
            await browser.OpenAsync().WaitAsync(Limit, TestContext.Current.CancellationToken);
            return browser;
        }
        catch
        {
            await browser.DisposeAsync();
            throw;
        }
    }

    /// <summary>Goes to a page. What it does from then on goes on by itself.</summary>
    public Task GoToAsync(Uri page) => SendAsync("Page.navigate", new() { ["url"] = page.ToString() });

    /// <summary>What an expression gives in the page, as text.</summary>
    public async Task<string> ReadAsync(string expression)
    {
        var answer = await SendAsync("Runtime.evaluate", new() { ["expression"] = expression, ["returnByValue"] = true });
        return answer?["result"]?["value"]?.ToString() ?? "";
    }

    /// <summary>A picture of what the window shows, as PNG.</summary>
    public async Task<byte[]> TakePictureAsync() =>
        Convert.FromBase64String((await SendAsync("Page.captureScreenshot", new() { ["format"] = "png" }))!["data"]!.ToString());

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync();
        await _receiving;
        _socket.Dispose();
        _process.StandardInput.Close();
        await _process.WaitForExitAsync(CancellationToken.None).WaitAsync(Limit);
        _process.Dispose();
        _ended.Dispose();
        _sending.Dispose();
        System.IO.Directory.Delete(_folder, recursive: true);
    }

    private async Task OpenAsync()
    {
        var address = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        _process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is null)
            {
                address.TrySetException(new IOException("Chromium ended before it listened."));
            }
            else if (line.Data.StartsWith(Listening, StringComparison.Ordinal))
            {
                address.TrySetResult(line.Data[Listening.Length..]);
            }
        };
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
        await _socket.ConnectAsync(new Uri(await address.Task), TestContext.Current.CancellationToken);
        _receiving = ReceiveAsync();
        var target = await SendAsync("Target.createTarget", new() { ["url"] = "about:blank" });
        var attached = await SendAsync(
            "Target.attachToTarget", new() { ["targetId"] = target!["targetId"]!.ToString(), ["flatten"] = true });
        _session = attached!["sessionId"]!.ToString();
        foreach (var domain in (string[])["Page", "Runtime", "Log", "Network"])
        {
            await SendAsync($"{domain}.enable", []);
        }
    }

    private async Task<JsonNode?> SendAsync(string method, JsonObject parameters)
    {
        var id = Interlocked.Increment(ref _number);
        var answer = _asked[id] = new(TaskCreationOptions.RunContinuationsAsynchronously);
        var message = new JsonObject { ["id"] = id, ["method"] = method, ["params"] = parameters };
        if (_session is not null)
        {
            message["sessionId"] = _session;
        }

        await _sending.WaitAsync(_ended.Token);
        try
        {
            await _socket.SendAsync(
                JsonSerializer.SerializeToUtf8Bytes(message), WebSocketMessageType.Text, endOfMessage: true, _ended.Token);
        }
        finally
        {
            _sending.Release();
        }

        return await answer.Task.WaitAsync(Limit, TestContext.Current.CancellationToken);
    }

    private async Task ReceiveAsync()
    {
        var buffer = new byte[64 * 1024];
        try
        {
            while (true)
            {
                using var whole = new MemoryStream();
                WebSocketReceiveResult part;
                do
                {
                    part = await _socket.ReceiveAsync(buffer, _ended.Token);
                    whole.Write(buffer, 0, part.Count);
                }
                while (!part.EndOfMessage);
                if (part.MessageType == WebSocketMessageType.Close)
                {
                    throw new WebSocketException("Chromium closed the connection.");
                }

                Take(JsonNode.Parse(whole.ToArray())!);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException)
        {
            foreach (var answer in _asked.Values)
            {
                answer.TrySetException(e);
            }
        }
    }

    private void Take(JsonNode message)
    {
        if (message["id"]?.GetValue<int>() is { } id && _asked.TryRemove(id, out var asked))
        {
            if (message["error"] is { } error)
            {
                asked.SetException(new InvalidOperationException(error.ToJsonString()));
            }
            else
            {
                asked.SetResult(message["result"]);
            }

            return;
        }

        var told = message["params"];
        switch (message["method"]?.ToString())
        {
            case "Runtime.exceptionThrown":
                _complaints.Enqueue(told!["exceptionDetails"]!.ToJsonString());
                break;
            case "Log.entryAdded" when told!["entry"]!["level"]!.ToString() == "error":
                _complaints.Enqueue(told["entry"]!["text"]!.ToString());
                break;
            case "Network.requestWillBeSent":
                _loaded.Enqueue(told!["request"]!["url"]!.ToString());
                break;
        }
    }
}
