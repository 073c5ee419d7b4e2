using Geo.Consistency;

namespace WebShop;

/// <summary>
/// A user's session over HTTP: the token comes with a request in the header <see cref="GeoSession.Header"/> and goes back with the answer,
/// so that whichever region the next request comes to shows what the user has written and read.
/// </summary>
internal static class WebSession
{
    /// <summary>
    /// Gives the endpoint's calls the request's token, and the answer the token of what they have seen or written. A request without one
    /// begins a session.
    /// </summary>
    public static async ValueTask<object?> KeepAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var http = context.HttpContext;
        if (!SessionToken.TryParse(http.Request.Headers[GeoSession.Header], out var token))
        {
            return Results.Problem($"{GeoSession.Header} is not a token of this shop.", statusCode: StatusCodes.Status400BadRequest);
        }

        SessionContext.Token = token;
        try
        {
            return await next(context) switch
            {
                Versioned<double> read => Told(read.Value, read.Session),
                UpdateOutcome update => Told(Results.Ok(), update.Session),
                var other => other,
            };
        }
        catch (Exception e) when (e is SessionLostException or GeoOutcomeUnknownException && token != SessionToken.None)
        {
            // What the token names is gone, or not known here in time. The client goes on as another session: without the header.
            return Results.Problem(e.Message, statusCode: StatusCodes.Status410Gone);
        }

        object Told(object answer, SessionToken received)
        {
            var session = new GeoSession(token);
            session.Take(token, received);
            http.Response.Headers[GeoSession.Header] = session.Token.ToString();
            return answer;
        }
    }
}
