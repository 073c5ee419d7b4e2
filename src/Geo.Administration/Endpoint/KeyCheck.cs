using System.Security.Cryptography;
using System.Text;

namespace Geo.Administration;

/// <summary>Says whether a request brings the key, in a time that does not depend on what it brings.</summary>
internal sealed class KeyCheck(string key)
{
    private const string Scheme = "Bearer ";

    private readonly byte[] _hash = SHA256.HashData(Encoding.UTF8.GetBytes(key));

    /// <summary>True when the value of the header <c>Authorization</c> is right.</summary>
    public bool Passes(string? authorization)
    {
        var isBearer = authorization?.StartsWith(Scheme, StringComparison.Ordinal) == true;
        var brought = SHA256.HashData(Encoding.UTF8.GetBytes(isBearer ? authorization![Scheme.Length..] : ""));
        return CryptographicOperations.FixedTimeEquals(brought, _hash) && isBearer;
    }
}
