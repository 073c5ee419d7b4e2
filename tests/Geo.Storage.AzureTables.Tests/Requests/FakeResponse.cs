using System.Diagnostics.CodeAnalysis;
using System.Text;
using Azure;
using Azure.Core;

namespace Geo.Storage.AzureTables.Tests.Requests;

/// <summary>An answer as a test wants it.</summary>
internal sealed class FakeResponse(int status, string? code, params (string Name, string Value)[] headers) : Response
{
    public override int Status => status;

    public override string ReasonPhrase => "for a test";

    public override Stream? ContentStream { get; set; } = code is null
        ? null
        : new MemoryStream(Encoding.UTF8.GetBytes(
            code.StartsWith('{') || code.StartsWith('<') ? code : $$$"""{"odata.error":{"code":"{{{code}}}"}}"""));

    public override string ClientRequestId { get; set; } = "";

    public override void Dispose()
    {
    }

    protected override bool TryGetHeader(string name, [NotNullWhen(true)] out string? value)
    {
        value = headers.FirstOrDefault(header => header.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).Value;
        return value is not null;
    }

    protected override bool TryGetHeaderValues(string name, [NotNullWhen(true)] out IEnumerable<string>? values)
    {
        values = TryGetHeader(name, out var value) ? [value] : null;
        return values is not null;
    }

    protected override bool ContainsHeader(string name) => TryGetHeader(name, out _);

    protected override IEnumerable<HttpHeader> EnumerateHeaders() => headers.Select(header => new HttpHeader(header.Name, header.Value));
}
