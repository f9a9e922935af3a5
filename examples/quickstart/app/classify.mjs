/**
 * Sorts a support ticket: reads it on standard input, answers `label (urgency)`.
 *
 * A small stand-in for what would be a model or an agent in a real repository:
 * it counts stems of words by label, and the label with the most wins.
 */
import { text } from "node:stream/consumers";

const stems = {
    billing: `
        invoice bill charge payment card tax price cost amount
        fee debit standing transfer
        rechnung abbuch abgebucht überweis gebühr mahn lastschrift zahl betrag
        facture prélèvement règlement échéance tarif relance
        factura cobr pago
    `,
    shipping: `
        parcel package deliver ship courier tracking pickup
        paket päckchen liefer zustellung rücksendung verzögerung abhol
        colis livraison expédi réception relais suivi carton
        envío paquete retras
    `,
    account: `
        password login sign profile account administrator permission locked access
        passwort zugang zugänge konto angemeldet gesperrt sperren zurücksetzen bestätigung benutzer
        compte accès identifiant réinitialiser mot connecté bloqué
        contraseña sesión usuario administr
    `,
    technical: `
        crash error bug slow update app import export upload freeze sync
        absturz stürz fehler störung überhitzung übertragung langsam träge anfragen
        erreur page données défaut affichage synchron sauvegarde
        aplicación fallo lenta actualización
    `,
    cancellation: `
        cancel terminat refund unsubscrib renew subscription contract
        kündig widerruf rückerstattung verlängerung vertrag vorzeitig
        résili rétractation remboursement abonnement
        cancelación devolución suscripción baja
    `,
};
const urgentStems = ["urgent", "immediately", "dringend"];

// Digits and punctuation say nothing about a ticket: only words count.
const word = /\w+/g;

/** The label with the most stems in the text, and `high` where it sounds urgent. */
function classify(ticket) {
  const words = ticket.toLowerCase().match(word) ?? [];
  const scores = Object.entries(stems).map(([label, list]) => {
    const wanted = list.trim().split(/\s+/);
    return { label, score: words.flatMap((each) => wanted.filter((stem) => each.startsWith(stem))).length };
  });
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  const urgent = words.some((each) => urgentStems.some((stem) => each.startsWith(stem)));
  return { label: best.score > 0 ? best.label : "unknown", urgency: urgent ? "high" : "normal" };
}

const { label, urgency } = classify(await text(process.stdin));
console.log(`${label} (${urgency})`);
